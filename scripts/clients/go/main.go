// Runs a protocol through the official Go SDK of MCP and writes docs/mcp/clients/go.md.
//
//	npm run build
//	go run -C scripts/clients/go .
//
// A scripted agent follows next_action. Its first result of a command is wrong, so that a refusal is seen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const doc = `# Ship the tea

## Natural Language Triggers
- "ship the tea"

## Run the check
` + "```sh proof\ntrue\n```" + `

## Ask
` + "```json\n{\"proof_of_work\": {\"type\": \"user_input\", \"user_input\": {\"prompt\": \"Ready?\", \"choices\": [\"approved\", \"rejected\"]}}}\n```" + `

## Say goodbye
Wave.
`

const head = `# Go client

Written by ` + "`scripts/clients/go`" + `: a scripted agent stores, finds and runs a protocol with a command (a wrong result first), a question and a
comment.

| client | version | revision | tools | recover | run |
|---|---|---|---|---|---|
`

type object = map[string]any

var nextCall = regexp.MustCompile(`(kairos_\w+) with (kairos://mem/[0-9a-f-]{36})`)
var runID = regexp.MustCompile(`run_id ([\w-]+)`)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	root, err := filepath.Abs("../../..")
	check(err)
	home, err := os.MkdirTemp("", "kairos-clients-")
	check(err)
	defer os.RemoveAll(home)
	server := exec.Command("node", filepath.Join(root, "bin/kairos.js"), "serve")
	server.Dir = home
	server.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	client := mcp.NewClient(&mcp.Implementation{Name: "tests", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: server}, nil)
	check(err)
	defer session.Close()
	tools, err := session.ListTools(ctx, nil)
	check(err)

	call := func(name string, args object) object {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
		check(err)
		var answer object
		text := result.Content[0].(*mcp.TextContent).Text
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			log.Fatalf("%s: %s", name, text)
		}
		return answer
	}
	call("kairos_mint", object{"markdown_doc": doc})
	found := call("kairos_search", object{"query": "ship the tea"})
	first := found["choices"].([]any)[0].(object)
	answer := call("kairos_begin", object{"uri": first["uri"]})
	var refused []string
	outcome := "none"
	for turn := 0; turn < 20; turn++ {
		if code, ok := answer["error_code"].(string); ok {
			refused = append(refused, code)
		}
		action, ok := answer["next_action"].(string)
		if !ok {
			outcome = answer["results"].([]any)[0].(object)["outcome"].(string)
			break
		}
		parts := nextCall.FindStringSubmatch(action)
		args := object{"uri": parts[2], "run_id": runID.FindStringSubmatch(action)[1]}
		if parts[1] == "kairos_attest" {
			args["outcome"], args["message"] = "success", "All steps were done as written."
		} else {
			args["solution"] = solution(answer["challenge"].(object), turn, len(refused) == 0)
		}
		answer = call(parts[1], args)
	}
	recovered := "no"
	if outcome == "success" && strings.Contains(strings.Join(refused, " "), "COMMAND_FAILED") {
		recovered = "yes"
	}
	row := fmt.Sprintf("| `go-sdk` | %s | %s | %d | %s | %s |\n",
		versionOf("github.com/modelcontextprotocol/go-sdk"), session.InitializeResult().ProtocolVersion, len(tools.Tools), recovered, outcome)
	fmt.Print(row)
	check(os.WriteFile(filepath.Join(root, "docs/mcp/clients/go.md"), []byte(head+row), 0o644))
}

func solution(challenge object, turn int, wrong bool) object {
	made := object{"type": challenge["type"], "nonce": challenge["nonce"], "proof_hash": challenge["proof_hash"]}
	switch challenge["type"] {
	case "shell":
		code := 0
		if wrong {
			code = 1
		}
		made["shell"] = object{"exit_code": code}
	case "user_input":
		made["user_input"] = object{"confirmation": "approved"}
	default:
		made["comment"] = object{"text": fmt.Sprintf("Part %d was looked at and holds.", turn)}
	}
	return made
}

func versionOf(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == module {
				return strings.TrimPrefix(dep.Version, "v")
			}
		}
	}
	return "unknown"
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
