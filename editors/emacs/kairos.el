;;; kairos.el --- kairos in markdown and in its YAML files, by Eglot  -*- lexical-binding: t -*-

;; Load this file in your init.el, then run M-x eglot in a protocol.

(defvar kairos-command '("kairos" "lsp")
  "How the server is started.")

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs (cons '(markdown-mode gfm-mode yaml-mode yaml-ts-mode) kairos-command)))

(provide 'kairos)
;;; kairos.el ends here
