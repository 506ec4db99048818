-- Starts `kairos lsp` for markdown and for the YAML files that kairos knows. Neovim 0.7 or later.
-- vim.g.kairos_command = { 'kairos', 'lsp' } names another program.
local patterns = {
  'policy%.ya?ml$', '%.cases%.ya?ml$', '^answers%.ya?ml$', '%.answers%.ya?ml$', '^inputs%.ya?ml$', '%.inputs%.ya?ml$',
}
local known = { ['hold.yaml'] = true, ['kairos.config.yaml'] = true }

local function is_ours(name, filetype)
  if filetype == 'markdown' then return true end
  local base = vim.fn.fnamemodify(name, ':t')
  for _, pattern in ipairs(patterns) do
    if base:match(pattern) ~= nil then return true end
  end
  return known[base] ~= nil
end

local client = nil

local function start()
  if client ~= nil then return client end
  client = vim.lsp.start_client({
    name = 'kairos',
    cmd = vim.g.kairos_command or { 'kairos', 'lsp' },
    root_dir = vim.fn.getcwd(),
    on_attach = function(_, buffer)
      vim.bo[buffer].omnifunc = 'v:lua.vim.lsp.omnifunc'
      vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'BufWritePost' }, {
        buffer = buffer,
        callback = vim.lsp.codelens.refresh,
      })
    end,
    on_exit = function() client = nil end,
  })
  return client
end

-- The server answers with a line for a terminal.
local function in_terminal(command)
  return function(lens, context)
    local server = vim.lsp.get_client_by_id(context.client_id)
    local params = { command = command, arguments = lens.arguments }
    server.request('workspace/executeCommand', params, function(_, result)
      if not (result and result.command) then return end
      vim.cmd('botright new')
      vim.fn.termopen(result.command)
    end, context.bufnr)
  end
end

vim.lsp.commands = vim.lsp.commands or {}
vim.lsp.commands['kairos.run'] = in_terminal('kairos.run')
vim.lsp.commands['kairos.showLastRun'] = in_terminal('kairos.showLastRun')

vim.api.nvim_create_autocmd('FileType', {
  pattern = { 'markdown', 'yaml' },
  callback = function(event)
    local name = vim.api.nvim_buf_get_name(event.buf)
    if name == '' or not is_ours(name, vim.bo[event.buf].filetype) then return end
    local id = start()
    if id == nil then return end
    vim.lsp.buf_attach_client(event.buf, id)
  end,
})
