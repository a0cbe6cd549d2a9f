"""A program that asks the table all that can be asked without running anything, and prints the answers."""

from __future__ import annotations

QUESTIONS = """
import json, sys
from importlib import import_module
from thoughtbox import domains
from thoughtbox.errors import ThoughtboxError

if sys.argv[1] == "all":
    domains.load()
    from thoughtbox.operations.table import TABLE as table
else:
    for module in filter(None, sys.argv[1].split(",")):
        import_module(module)
    table = domains.known()

from thoughtbox.doors.mcp.tool_list import ToolList
from thoughtbox.doors.mcp.wording import Wording
from thoughtbox.operations.caller import Focus

def asked(question):
    try:
        found = question()
        return found if isinstance(found, str) else [found.name, found.module, found.suggestible]
    except ThoughtboxError as error:
        return error.payload()

def spelled(place, name):
    yield from (name, name.replace(".", "_"))
    if place % 5 == 0:  # one that is misspelt is compared with all others
        yield (name[:-1], name[1:], name.upper(), name + "s", name.rpartition(".")[2])[place // 5 % 5]

shared = {known.bare for known in table.known.values() if known.bare != known.name}
names = sorted({"nothing at all", *shared,
                *(said for place, name in enumerate(table.known) for said in spelled(place, name))})
focuses = [table.first_focus(Focus(memory), settings) for memory in ("connection", "workspace", "none")
           for settings in ({}, {"reasoning_session": "s"})]
answers = {
    "names": {name: asked(lambda: table.look_up(name)) for name in names},
    "by arguments": {name: [asked(lambda: table.look_up(name, known.arguments)) for known in table.known.values()]
                     for name in sorted(shared)},
    "gateway": {name: asked(lambda: table.meant(table.look_up("thoughtbox_gateway"), {"operation": name})[0])
                for name in names},
    "order": list(table.operations),
    "families": {name: list(table.family(name)) for name in names if table.family(name)},
    "guidance": [table.guidance(), table.guidance("x")],
    "toolsets": table.toolsets(),
    "tools": {toolset: [tools.json(focus).decode() for focus in focuses]
              for toolset in table.toolsets() for tools in [ToolList(table, toolset)]},
    "instructions": {toolset: Wording(table, toolset).instructions for toolset in table.toolsets()},
    "prompts": [prompt._asdict() | {name: dict(getattr(prompt, name)) for name in ("arguments", "optional", "shapes")}
                for prompt in table.prompts.values()],
    "resources": [resource._asdict() | {"arguments": dict(resource.arguments), "names": dict(resource.names),
                                        "listed": resource.listed is not None}
                  for resource in table.resources.values()],
    "completions": sorted(map(list, table.completions)),
    "topics": {name: topic.streams for name, topic in sorted(table.topics.items())},
    "tallies": sorted(table.tallies),
    "rooms": [[room.name, room.summary, [room.gateway_lines(focus) for focus in focuses]]
              for room in table.rooms.values()],
}
imported = [name for name in sys.modules if name.startswith("thoughtbox.domains.")]
print(json.dumps({**answers, "has catalog": table.catalog is not None, "imported": imported}))
"""
