use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree};

struct Kairos;

impl zed::Extension for Kairos {
    fn new() -> Self {
        Kairos
    }

    fn language_server_command(&mut self, _server: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let command = worktree
            .which("kairos")
            .ok_or("kairos is not on the PATH. Install it, then restart the language server.")?;
        Ok(Command { command, args: vec!["lsp".into()], env: worktree.shell_env() })
    }
}

zed::register_extension!(Kairos);
