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

local has_11 = vim.fn.has('nvim-0.11') == 1
local client = nil

local function show_lenses(buffer)
  if vim.lsp.codelens.enable then return vim.lsp.codelens.enable(true, { bufnr = buffer }) end
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'BufWritePost' }, {
    buffer = buffer,
    callback = function() vim.lsp.codelens.refresh() end,
  })
end

local function attach(buffer)
  local config = {
    name = 'kairos',
    cmd = vim.g.kairos_command or { 'kairos', 'lsp' },
    root_dir = vim.fn.getcwd(),
    on_attach = function(_, attached)
      vim.bo[attached].omnifunc = 'v:lua.vim.lsp.omnifunc'
      show_lenses(attached)
    end,
    on_exit = function() client = nil end,
  }
  -- From Neovim 0.8 on, vim.lsp.start shares one server between buffers.
  if vim.lsp.start then return vim.lsp.start(config, { bufnr = buffer }) end
  client = client or vim.lsp.start_client(config)
  if client ~= nil then vim.lsp.buf_attach_client(buffer, client) end
end

-- The server answers with a line for a terminal.
local function in_terminal(command)
  return function(lens, context)
    local server = vim.lsp.get_client_by_id(context.client_id)
    local params = { command = command, arguments = lens.arguments }
    local function show(_, result)
      if not (result and result.command) then return end
      vim.cmd('botright new')
      if has_11 then vim.fn.jobstart(result.command, { term = true }) else vim.fn.termopen(result.command) end
    end
    if has_11 then
      server:request('workspace/executeCommand', params, show, context.bufnr)
    else
      server.request('workspace/executeCommand', params, show, context.bufnr)
    end
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
    attach(event.buf)
  end,
})
