-- A session without a screen: nvim --headless -u NONE --cmd 'luafile kairos.lua' --cmd 'filetype on' FILE -c 'luafile session.lua'
-- Prints one JSON object with what the server answered to this editor.
local answers = {}

local function wait(what, ready)
  if not vim.wait(60000, ready, 20) then
    answers.missing = what
    error('no ' .. what)
  end
end

local clients = vim.lsp.get_clients and function() return vim.lsp.get_clients({ bufnr = 0 }) end
  or function() return vim.lsp.buf_get_clients(0) end

local function ask(method, params)
  local responses = vim.lsp.buf_request_sync(0, method, params, 60000) or {}
  for _, response in pairs(responses) do
    return response.result
  end
end

local function at(pattern)
  for row, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local _, stop = line:find(pattern, 1, true)
    if stop then
      vim.api.nvim_win_set_cursor(0, { row, stop })
      return { textDocument = vim.lsp.util.make_text_document_params(), position = { line = row - 1, character = stop } }
    end
  end
  error('no line has ' .. pattern)
end

local ok, fault = pcall(function()
  wait('client', function() return next(clients()) ~= nil end)
  wait('findings', function() return #vim.diagnostic.get(0) > 0 end)
  answers.findings = vim.tbl_map(function(each) return each.code or each.user_data.lsp.code end, vim.diagnostic.get(0))
  local items = ask('textDocument/completion', at('timeout=5m '))
  answers.completion = vim.tbl_map(function(each) return each.label end, items.items or items)
  answers.hover = ask('textDocument/hover', at('proof time')).contents.value
  local range = { start = { line = 0, character = 0 }, ['end'] = { line = vim.api.nvim_buf_line_count(0), character = 0 } }
  local actions = ask('textDocument/codeAction', {
    textDocument = vim.lsp.util.make_text_document_params(),
    range = range,
    context = { diagnostics = {}, only = { 'source.fixAll.kairos' } },
  })
  vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
  wait('second findings', function() return #vim.diagnostic.get(0) == 0 end)
  answers.fixed = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  local document = { textDocument = vim.lsp.util.make_text_document_params() }
  answers.outline = vim.tbl_map(function(each) return each.name end, ask('textDocument/documentSymbol', document)[1].children)
  local edits = ask('textDocument/formatting', vim.tbl_extend('force', document, { options = { tabSize = 2, insertSpaces = true } }))
  vim.lsp.util.apply_text_edits(edits, vim.api.nvim_get_current_buf(), 'utf-16')
  answers.formatted = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  local lenses = ask('textDocument/codeLens', document)
  answers.lenses = #lenses
  vim.cmd('silent write')
  local _, server = next(clients())
  local first = vim.tbl_filter(function(each) return each.command and each.command.command == 'kairos.run' end, lenses)[1]
  vim.lsp.commands['kairos.run'](first.command, { client_id = server.id, bufnr = 0 })
  local function screen()
    return vim.bo.buftype == 'terminal' and table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') or ''
  end
  wait('run in a terminal', function() return screen():find('Allow this content', 1, true) ~= nil end)
  answers.terminal = screen()
end)
if not ok then answers.fault = tostring(fault) end
io.stdout:write(vim.fn.json_encode(answers) .. '\n')
vim.cmd('qall!')
