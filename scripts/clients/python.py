"""Runs a protocol through Python clients of MCP and writes docs/mcp/clients/python.md.

Usage, after npm run build:

    python3 -m venv /tmp/clients
    /tmp/clients/bin/pip install openai-agents langchain-mcp-adapters mcp
    /tmp/clients/bin/python scripts/clients/python.py

No model is needed: a scripted agent follows next_action, and fills every argument that a schema has, as models with strict
schemas do.
"""
import asyncio, json, os, pathlib, tempfile
from importlib.metadata import version

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOME = tempfile.mkdtemp(prefix="kairos-clients-")
ENV = {"PATH": os.environ["PATH"], "HOME": HOME, "KAIROS_DATA_DIR": HOME + "/data", "KAIROS_CONFIG_DIR": HOME + "/config"}
P = {"command": "node", "args": [str(ROOT / "bin" / "kairos.js"), "serve"], "env": ENV, "cwd": HOME}
ROWS = []
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

## Tell

```json
{"proof_of_work": {"type": "comment", "comment": {"min_length": 10}}}
```
"""

SOL={"shell":{"exit_code":0,"stdout":"","stderr":""},"mcp":{"tool_name":"t","arguments":'{"a": 1}',"result":"5","success":True},"user_input":{"confirmation":""},"comment":{"text":"Looked at all of it and it holds."},"sampling":{"result":""}}
def paths(s,at=""):
    out=[]
    for k,v in (s.get("properties") or {}).items(): out+= [at+k]+paths(v,at+k+".")
    return out
async def walk(call, name):
    doc=DOC
    await call("kairos_mint",{"markdown_doc":doc,"force_update":True,"llm_model_id":"","protocol_version":"","space":""})
    a=await call("kairos_search",{"query":"ship the tea","limit":5,"space":""})
    uri=a["choices"][0]["uri"]
    a=await call("kairos_begin",{"uri":uri,"key":"","inputs":"","resume":False,"query":""})
    n=0
    while a["next_action"] and n<12:
        n+=1
        act=a["next_action"]; tool=act.split(" with ")[0].split()[-1]; u=act.split("kairos://mem/")[1][:36]; run=act.split("run_id ")[1]
        if tool=="kairos_attest":
            a=await call(tool,{"uri":"kairos://mem/"+u,"outcome":"success","message":"All steps were done as written.","solution":"","proof_of_work":"","run_id":run,"quality_bonus":0,"llm_model_id":""})
        else:
            c=a["challenge"]
            s=dict(SOL); s.update(type=c["type"],nonce=c["nonce"],proof_hash=c["proof_hash"])
            s["comment"]={"text":"Step %d was looked at and it holds."%n}
            a=await call(tool,{"uri":"kairos://mem/"+u,"solution":s,"proof_of_work":"","proof_of_work_result":"","run_id":run})
        if a.get("error_code"): print(name,a["error_code"],a.get("message"))
    return a.get("results",[{}])[0].get("outcome","none")
async def openai():
    from agents.mcp import MCPServerStdio, MCPUtil
    lost_all=[]
    async with MCPServerStdio(params=P, client_session_timeout_seconds=60) as s:
        tools=await s.list_tools()
        for t in tools:
            f=MCPUtil.to_function_tool(t,s,convert_schemas_to_strict=True)
            lost=set(paths(t.inputSchema))-set(paths(f.params_json_schema))
            lost_all+=[t.name] if lost or not f.strict_json_schema else []
        async def call(n,a):
            r=await s.call_tool(n,a); return json.loads(r.content[0].text)
        outcome=await walk(call,"openai-agents")
        ROWS.append(("openai-agents",len(tools),"strict: "+(", ".join(lost_all) or "nothing lost"),outcome))
async def lang():
    from langchain_mcp_adapters.client import MultiServerMCPClient
    c=MultiServerMCPClient({"k":{**P,"transport":"stdio"}})
    async with c.session("k") as ses:
        from langchain_mcp_adapters.tools import load_mcp_tools
        tools={t.name:t for t in await load_mcp_tools(ses)}
        async def call(n,a):
            r=await tools[n].ainvoke(a)
            if isinstance(r,list): r=r[0]["text"]
            return json.loads(r)
        outcome=await walk(call,"langchain-mcp-adapters")
        ROWS.append(("langchain-mcp-adapters",len(tools),"unchanged",outcome))
async def sdk():
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    async with stdio_client(StdioServerParameters(command="node",args=P["args"],env=ENV,cwd=P["cwd"])) as (r,w):
        async with ClientSession(r,w) as s:
            await s.initialize(); t=await s.list_tools()
            async def call(n,a):
                x=await s.call_tool(n,a); return x.structuredContent or json.loads(x.content[0].text)
            outcome=await walk(call,"mcp")
            ROWS.append(("mcp",len(t.tools),"unchanged",outcome))

for client in (openai, lang, sdk):
    asyncio.run(client())
lines = ["# Python clients", "", "Written by `scripts/clients/python.py`: a scripted agent runs a protocol with a command, a tool call and a comment.", "",
    "| client | version | tools | schemas | run |", "|---|---|---|---|---|"]
lines += ["| `%s` | %s | %d | %s | %s |" % (name, version(name), tools, schemas, outcome) for name, tools, schemas, outcome in ROWS]
(ROOT / "docs" / "mcp" / "clients" / "python.md").write_text("\n".join(lines) + "\n")
print("\n".join(lines))
