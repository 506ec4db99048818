# Starts `kairos lsp` for markdown and YAML. Needs kak-lsp 18 or later: load this after its commands and before `lsp-enable`.
hook -group lsp-filetype-kairos global BufSetOption filetype=(?:markdown|yaml) %{
    set-option buffer lsp_servers %{
        [kairos]
        args = ["lsp"]
        root_globs = ["kairos.config.yaml", ".git"]
    }
}
