;; Asks the server what an author would, without a screen, and prints the answers as JSON: see tests/process/editors.test.ts. -*- lexical-binding: t -*-
(require 'cl-lib)
(require 'json)
(let ((default-directory "/usr/share/emacs/site-lisp/elpa"))
  (when (file-directory-p default-directory) (normal-top-level-add-subdirs-to-load-path)))
(require 'eglot)
(require 'flymake)
;; Emacs itself has no mode for markdown.
(unless (require 'markdown-mode nil t) (define-derived-mode markdown-mode text-mode "Markdown"))
(setq eglot-sync-connect 60 eglot-connect-timeout 60 eglot-events-buffer-size 0)
(defvar kairos-command (split-string (getenv "KAIROS_COMMAND") "\n"))
(load (expand-file-name "kairos.el" (file-name-directory load-file-name)) nil t)

(defun session-wait (what)
  "Waits until WHAT returns something, and returns that."
  (let (found)
    (with-timeout (60 (error "waited too long"))
      (while (not (setq found (funcall what))) (accept-process-output nil 0.05)))
    found))

(defun session-after (text)
  (goto-char (point-min))
  (search-forward text))

(defun session-names (index)
  "The names in INDEX of what has a place."
  (mapcan (lambda (each) (if (consp (cdr each)) (session-names (cdr each)) (list (car each)))) index))

(find-file (pop command-line-args-left))
(markdown-mode)
(apply #'eglot (eglot--guess-contact))
(flymake-mode 1)
(let* ((findings
        (session-wait (lambda () (flymake-start) (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))))
       (completion
        (progn (session-after "timeout=5m ")
               (let ((found (eglot-completion-at-point)))
                 (all-completions "" (nth 2 found)))))
       (hover
        (progn (session-after "proof time")
               (plist-get (plist-get (jsonrpc-request (eglot--current-server-or-lose) :textDocument/hover
                                                      (eglot--TextDocumentPositionParams))
                                     :contents)
                          :value)))
       (outline (session-names (funcall imenu-create-index-function)))
       (fixed
        (progn (session-after "\"challe")
               (eglot-code-actions (point) (point) "quickfix" t)
               (buffer-string)))
       (formatted (progn (eglot-format-buffer) (buffer-string))))
  (princ (json-encode (list :findings findings :completion completion :hover hover
                            :outline outline :fixed fixed :formatted formatted))))
