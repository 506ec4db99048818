"""Runs a protocol through Python clients of MCP and writes docs/mcp/clients/python.md.

The two lines of the official SDK exclude each other, so there are two environments. After npm run build:

    python3 -m venv /tmp/py1 && /tmp/py1/bin/pip install openai-agents langchain-mcp-adapters "pydantic-ai-slim[mcp]" "mcp<2"
    python3 -m venv /tmp/py2 && /tmp/py2/bin/pip install fastmcp "mcp>=2"
    /tmp/py1/bin/python scripts/clients/python.py && /tmp/py2/bin/python scripts/clients/python.py

The rows of clients that an environment lacks stay as they are. No model is needed: a scripted agent follows next_action, and fills
every argument that a schema has, as models with strict schemas do. Its first result of a command is wrong, so that a refusal is seen.
"""
import asyncio
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "mcp" / "clients" / "python.md"
HOME = tempfile.mkdtemp(prefix="kairos-clients-")
ENV = {"PATH": os.environ["PATH"], "HOME": HOME}
ARGS = [str(ROOT / "bin" / "kairos.js"), "serve"]
START = {"command": "node", "args": ARGS, "env": ENV, "cwd": HOME}

DOC = """# Ship the tea

For a test.

## Natural Language Triggers
- "ship the tea"

## Run the check

```json
{"proof_of_work": {"type": "shell", "shell": {"cmd": "true", "timeout_seconds": 5}}}
```

## Call it

```json
{"proof_of_work": {"type": "mcp", "mcp": {"tool_name": "t", "arguments": {"a": 1}, "expected_result": 5}}}
```

## Ask

```json
{"proof_of_work": {"type": "user_input", "user_input": {"prompt": "Is it ready?", "choices": ["approved", "rejected"]}}}
```

## Tell

```json
{"proof_of_work": {"type": "comment", "comment": {"min_length": 10}}}
```
"""

# As models with strict schemas fill them: every part of a solution, also those of other types.
SOLUTION = {
    "shell": {"exit_code": 0, "stdout": "", "stderr": ""},
    "mcp": {"tool_name": "t", "arguments": '{"a": 1}', "result": "5", "success": True},
    "user_input": {"confirmation": "approved"},
    "comment": {"text": ""},
    "sampling": {"result": ""},
}


def parts(schema, at=""):
    """Every place that a schema shows a model, with its type; references are followed."""

    def resolve(one):
        while "$ref" in one:
            target = schema
            for key in one["$ref"].removeprefix("#/").split("/"):
                target = target[key]
            one = target
        # A part that may be null as well.
        some = [branch for branch in one.get("anyOf", []) if branch.get("type") != "null"]
        return resolve(some[0]) if len(some) == 1 else one

    def walk(one, at):
        one = resolve(one)
        found = {}
        for name, inner in (one.get("properties") or {}).items():
            inner = resolve(inner)
            kind = inner.get("type")
            if isinstance(kind, list):
                kind = next((each for each in kind if each != "null"), None)
            found[at + name] = kind
            found.update(walk(inner, at + name + "."))
        if isinstance(one.get("items"), dict):
            found.update(walk(one["items"], at + "[]."))
        return found

    return walk(schema, at)


def truth():
    """The schemas as the server sends them, without any library between."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    out = subprocess.run(["node", *ARGS], input=text, capture_output=True, text=True, env=ENV, cwd=HOME).stdout
    answer = next(json.loads(line) for line in out.splitlines() if json.loads(line).get("id") == 2)
    return {tool["name"]: parts(tool["inputSchema"]) for tool in answer["result"]["tools"]}


def compared(shown):
    """What of the server's schemas the model is not shown, or is shown with another type."""
    lost = []
    for name, places in truth().items():
        there = parts(shown.get(name, {}))
        lost += [f"{name}.{place}" for place, kind in places.items() if there.get(place) != kind]
    return "nothing lost" if not lost else f"{len(lost)} lost: " + ", ".join(sorted(lost)[:4])


def solution(challenge, turn):
    """A whole solution: empty values where they are not asked for."""
    made = dict(SOLUTION, type=challenge["type"], nonce=challenge["nonce"], proof_hash=challenge["proof_hash"])
    made["comment"] = {"text": f"Part {turn} was looked at and holds."}
    return made


class Walker:
    """The next call after an answer, and what was seen on the way."""

    def __init__(self):
        self.turn = 0
        self.refused = []
        self.outcome = "none"

    def next(self, answer):
        self.turn += 1
        if answer is None:
            return "kairos_mint", {"markdown_doc": DOC, "force_update": True, "llm_model_id": "", "protocol_version": "", "space": ""}
        if answer.get("error_code"):
            self.refused.append(answer["error_code"])
        if "items" in answer:
            return "kairos_search", {"query": "ship the tea", "limit": 5, "space": ""}
        if "choices" in answer:
            uri = answer["choices"][0]["uri"]
            return "kairos_begin", {"uri": uri, "key": "", "inputs": "", "resume": False, "query": ""}
        if answer["next_action"] is None or self.turn > 20:
            self.outcome = answer.get("results", [{}])[0].get("outcome", "none")
            return None
        tool, uri = re.search(r"(kairos_\w+) with (kairos://mem/[0-9a-f-]{36})", answer["next_action"]).groups()
        run = re.search(r"run_id ([\w-]+)", answer["next_action"]).group(1)
        rest = {"uri": uri, "run_id": run, "proof_of_work": ""}
        if tool == "kairos_attest":
            said = {"outcome": "success", "message": "All steps were done as written.", "solution": ""}
            return tool, {**rest, **said, "quality_bonus": 0, "llm_model_id": ""}
        made = solution(answer["challenge"], self.turn)
        if made["type"] == "shell" and not self.refused:
            made["shell"] = {**made["shell"], "exit_code": 1}
        return tool, {**rest, "solution": made, "proof_of_work_result": ""}

    async def through(self, call):
        answer = None
        while (step := self.next(answer)) is not None:
            answer = await call(*step)

    def cells(self):
        return "yes" if "COMMAND_FAILED" in self.refused and self.outcome == "success" else "no", self.outcome


def texts(content):
    """The object in the text of a result."""
    return json.loads(next(part.text for part in content if getattr(part, "text", None)))


async def openai_agents():
    from agents.mcp import MCPServerStdio, MCPUtil

    walker = Walker()
    async with MCPServerStdio(params=START, client_session_timeout_seconds=60) as server:
        tools = await server.list_tools()
        made = [MCPUtil.to_function_tool(tool, server, convert_schemas_to_strict=True) for tool in tools]
        loose = [tool.name for tool in made if not tool.strict_json_schema]
        shown = {tool.name: tool.params_json_schema for tool in made}

        async def call(name, args):
            return texts((await server.call_tool(name, args)).content)

        await walker.through(call)
    return len(tools), f"strict, {compared(shown)}" if not loose else "not strict: " + ", ".join(loose), walker


async def langchain_mcp_adapters():
    from langchain_core.utils.function_calling import convert_to_openai_tool
    from langchain_mcp_adapters.client import MultiServerMCPClient
    from langchain_mcp_adapters.tools import load_mcp_tools

    walker = Walker()
    async with MultiServerMCPClient({"k": {**START, "transport": "stdio"}}).session("k") as session:
        tools = {tool.name: tool for tool in await load_mcp_tools(session)}
        shown = {name: convert_to_openai_tool(tool)["function"]["parameters"] for name, tool in tools.items()}

        async def call(name, args):
            result = await tools[name].ainvoke(args)
            return json.loads(result[0]["text"] if isinstance(result, list) else result)

        await walker.through(call)
    return len(tools), compared(shown), walker


async def pydantic_ai():
    """Its whole agent, with a function in the place of the model."""
    from pydantic_ai import Agent
    from fastmcp.client.transports import StdioTransport
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import FunctionModel

    walker, shown = Walker(), {}

    def model(messages, info):
        shown.update({tool.name: tool.parameters_json_schema for tool in info.function_tools})
        returned = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
        content = returned[-1].content if returned else None
        step = walker.next(json.loads(content) if isinstance(content, str) else content)
        return ModelResponse(parts=[TextPart("done") if step is None else ToolCallPart(*step)])

    server = MCPToolset(StdioTransport("node", ARGS, env=ENV, cwd=HOME))
    await Agent(FunctionModel(model), toolsets=[server]).run("Ship the tea.")
    return len(shown), compared(shown), walker


async def mcp():
    """The official SDK; its second line has another client."""
    walker = Walker()
    if int(version("mcp").split(".")[0]) < 2:
        from mcp import ClientSession, StdioServerParameters
        from mcp.client.stdio import stdio_client

        async with stdio_client(StdioServerParameters(**START)) as streams, ClientSession(*streams) as session:
            await session.initialize()
            return await sdk(session, walker)
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async with Client(stdio_client(StdioServerParameters(**START))) as client:
        return await sdk(client, walker)


async def sdk(session, walker):
    tools = (await session.list_tools()).tools
    schema = lambda tool: getattr(tool, "input_schema", None) or tool.inputSchema

    async def call(name, args):
        return texts((await session.call_tool(name, args)).content)

    await walker.through(call)
    return len(tools), compared({tool.name: schema(tool) for tool in tools}), walker


async def fastmcp():
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    return await fast(Client(StdioTransport("node", ARGS, env=ENV, cwd=HOME)))


async def fastmcp_proxy():
    """A client of fastmcp's proxy, which is a client of kairos."""
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport
    from fastmcp.server import create_proxy

    return await fast(Client(create_proxy(Client(StdioTransport("node", ARGS, env=ENV, cwd=HOME)))))


async def fast(client):
    walker = Walker()
    async with client:
        tools = await client.list_tools()
        schema = lambda tool: getattr(tool, "input_schema", None) or tool.inputSchema

        async def call(name, args):
            return texts((await client.call_tool(name, args)).content)

        await walker.through(call)
    return len(tools), compared({tool.name: schema(tool) for tool in tools}), walker


CLIENTS = [
    ("`mcp`, first line", "mcp", "<2", mcp),
    ("`mcp`, second line", "mcp", ">=2", mcp),
    ("`openai-agents`", "openai-agents", "", openai_agents),
    ("`langchain-mcp-adapters`", "langchain-mcp-adapters", "", langchain_mcp_adapters),
    ("`pydantic-ai`", "pydantic-ai-slim", "", pydantic_ai),
    ("`fastmcp`", "fastmcp", "", fastmcp),
    ("`fastmcp`, its proxy", "fastmcp", "", fastmcp_proxy),
]

HEAD = """# Python clients

Written by `scripts/clients/python.py`: a scripted agent stores, finds and runs a protocol with a command (a wrong result first), a tool call,
a question and a comment. It fills every argument, also those that it does not need.

* **schemas**: the schemas that the library shows a model, compared part by part and by type with those that the server sends.
* **recover**: a refused result, and then the right one.

| client | version | tools | schemas | recover | run |
|---|---|---|---|---|---|"""


def row(title, package, line, run):
    """The row of a client, or None if this environment lacks it."""
    try:
        found = version(package)
    except PackageNotFoundError:
        return None
    if line and (int(found.split(".")[0]) < 2) != (line == "<2"):
        return None
    try:
        tools, schemas, walker = asyncio.run(run())
        recovered, outcome = walker.cells()
    except Exception as error:  # A client that fails is a row too.
        if "--log" in sys.argv:
            raise
        tools, schemas, recovered, outcome = 0, "", "", f"failed: {type(error).__name__}: {str(error)[:120]}"
    return f"| {title} | {found} | {tools} | {schemas} | {recovered} | {outcome} |"


old = PAGE.read_text().splitlines() if PAGE.exists() else []
rows = []
for title, package, line, run in CLIENTS:
    made = row(title, package, line, run) or next((each for each in old if each.startswith(f"| {title} |")), None)
    if made is not None:
        rows.append(made)
PAGE.write_text("\n".join([HEAD, *rows]) + "\n")
print("\n".join(rows))
