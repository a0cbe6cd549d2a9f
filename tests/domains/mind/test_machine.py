"""The mind's branches, notes, graph, merges and conflicts against a small model: they hold what the model holds.

Hypothesis makes up the story: branches made, renamed, deleted and made again, notes and graphs on all of them, merges
with and without conflicts, reads page by page and as of earlier times. A failure is shown as the shortest story that
leads to it.
"""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import initialize, invariant, precondition, rule, run_state_machine_as_test

from tests.domains.mind.drafts import (
    CHANGE,
    FILTERS,
    GRAPH_DOCS,
    ID,
    IDS,
    LIMITS,
    NAMES,
    NEW_NAMES,
    NONSENSE,
    NOTE_DOCS,
    OPS,
    PLENTY,
    RESOLUTIONS,
    SAID,
    SOME,
    SOMEWHERE,
    TAGS,
    Arguments,
    Op,
    maybe,
)
from tests.domains.mind.model import GraphMerged, Model, Refused
from tests.domains.mind.side_by_side import SideBySide, given, key_of, merge_arguments, state_of
from tests.support.postgres import fresh_schema, server_url


class MindMachine(SideBySide):
    """What can happen in a workspace."""

    # What holds at any time.

    @invariant()
    def every_branch_reads_as_the_model_says(self) -> None:
        self.assert_reads_as(self.model, list(self.model.names))
        self.clock.assert_in_order()

    @invariant()
    def the_branches_are_those_of_the_model(self) -> None:
        listed = self.ask("branch_list", {})["branches"]
        assert [branch["name"] for branch in listed] == self.model.names
        for shown in listed:
            branch = self.model.branch(shown["name"])
            base = self.model.base_of(branch)
            if base is None:
                assert shown.get("base_branch") in {None, branch.name}
            else:
                assert (shown["base_branch"], shown["base_seq"]) == (base.name, self.base_seqs[branch.id])

    # Branches.

    @initialize(ops=OPS, said=SAID)
    def begin(self, ops: list[Op], said: Arguments) -> None:
        """Enough that there is something to differ about: a branch and one on top of it, behind which main went on."""
        tagged = zip(IDS, TAGS, strict=True)
        nodes = [{"op": "node_upsert", "id": id, "type": "idea", "tags": [tag]} for id, tag in tagged]
        self._apply(None, "graph", [*nodes, *self._valid_part(None, "graph", ops)])
        for name, source in [("a", None), ("b", "a")]:
            self._commit(None, "notes", said)
            self._create(name, source)
            self._apply(None, "graph", [{**nodes[0], "title": name}])
            self._commit(name, "notes", said)

    @rule(name=SOME, source=SOMEWHERE)
    def create(self, name: int, source: int | None) -> None:
        self._create(self.new_name(name), None if source is None else self.some_branch(source))

    def _create(self, name: str, source: str | None) -> None:
        arguments = given({"name": name, "from": source})
        done = self.both("branch_create", arguments, lambda: self.model.branch_create(name, source))
        if done:
            answer, made = done
            base = self.model.base_of(made)
            assert base
            assert answer["branch"]["name"] == name
            assert answer["branch"]["base_branch"] == base.name
            self._forked(made.id, made.cut, answer["branch"]["base_seq"])

    def _forked(self, branch: int, cut: int, base_seq: int) -> None:
        self.base_seqs[branch] = base_seq
        self.clock.cut(cut, base_seq)

    @rule(old=SOME, new=SOME)
    def rename(self, old: int, new: int) -> None:
        self._rename(self.some_branch(old), self.new_name(new))

    def _rename(self, name: str, new: str) -> None:
        done = self.both("branch_rename", {"old": name, "new": new}, lambda: self.model.branch_rename(name, new))
        if done:
            assert (done[0]["previous"], done[0]["current"]) == (name, new)
            self._lists_all_conflicts()

    @rule(which=SOME)
    def delete(self, which: int) -> None:
        self._delete(self.some_branch(which))

    @rule(which=SOME, source=SOME)
    def delete_and_make_again(self, which: int, source: int) -> None:
        """Of the same name, and with nothing of its own."""
        leaves = [branch for branch in self.model.branches.values() if not self.model.children_of(branch)]
        contested = [branch for branch in leaves if branch.id in {found.source for found in self.model.conflicts}]
        choice = [*contested, *leaves]
        name = choice[which % len(choice)].name
        self._delete(name)
        self._create(name, self.present(source))

    def _delete(self, name: str) -> None:
        before = {conflict.id for conflict in self.model.conflicts}
        done = self.both("branch_delete", {"name": name}, lambda: self.model.branch_delete(name))
        if done:
            assert (done[0]["name"], done[0]["deleted"]) == (name, True)
            for gone in sorted(before - {conflict.id for conflict in self.model.conflicts}):
                self.fails("graph_conflict_show", {"conflict_id": gone}, {"UNKNOWN_ID"})
            self._lists_all_conflicts()

    @rule(which=SOME)
    def checkout(self, which: int) -> None:
        name = self.some_branch(which)
        done = self.both("checkout", {"ref": name}, lambda: self.model.checkout(name))
        if done:
            assert (done[0]["previous"], done[0]["current"]) == (done[1], name)

    @rule(which=SOME)
    def what_is_not_there_is_refused_by_every_tool(self, which: int) -> None:
        name, here, conflict = self.nobody(), self.present(which), "CONFLICT-" + "0" * 32
        for tool in ("show", "graph_query", "graph_validate"):
            self.fails(tool, {"branch": name}, {"UNKNOWN_ID"})
        for tool in ("diff", "graph_diff"):
            self.fails(tool, {"from": here, "to": name}, {"UNKNOWN_ID"})
            self.fails(tool, {"from": name, "to": here}, {"UNKNOWN_ID"})
        for tool in ("merge", "graph_merge"):
            self.fails(tool, {"from": here, "into": name}, {"UNKNOWN_ID"})
            self.fails(tool, {"from": name, "into": here}, {"UNKNOWN_ID"})
        self.fails("graph_conflicts", {"into": name}, {"UNKNOWN_ID"})
        self.fails("graph_conflict_show", {"conflict_id": conflict}, {"UNKNOWN_ID"})
        self.fails("graph_conflict_resolve", {"conflict_id": conflict, "resolution": "use_into"}, {"UNKNOWN_ID"})

    # Notes.

    @rule(notes=st.lists(st.tuples(SOMEWHERE, NOTE_DOCS, SAID), min_size=1, max_size=5))
    def commit(self, notes: list[tuple[int | None, str, Arguments]]) -> None:
        for which, doc, said in notes:
            self._commit(None if which is None else self.some_branch(which), doc, said)

    def _commit(self, branch: str | None, doc: str, said: Arguments) -> None:
        arguments = given({"branch": branch, "doc": doc, **said})
        done = self.both("notes_commit", arguments, lambda: self.model.notes_commit(branch, doc, said))
        if done:
            self.assert_shown(self.model, done[1], doc, done[0]["entry"])

    @rule(name=st.none() | NEW_NAMES, source=SOMEWHERE, doc=NOTE_DOCS, said=SAID)
    def note_by_macro(self, name: str | None, source: int | None, doc: str, said: Arguments) -> None:
        origin = None if source is None else self.some_branch(source)
        arguments = given({"name": name, "from": origin, "doc": doc, **said})
        cut = self.model.now
        done = self.both("macro_branch_note", arguments, lambda: self.model.macro_branch_note(name, origin, doc, said))
        if done:
            answer, (created, note) = done
            assert answer["branch"]["name"] == self.model.checkout_name
            assert answer["branch"].get("created", False) == created
            self.assert_shown(self.model, note, doc, answer["note"])
            if created:
                listed = self.ask("branch_list", {})["branches"]
                base_seq = next(branch["base_seq"] for branch in listed if branch["name"] == name)
                self._forked(self.model.current, cut, base_seq)

    @rule(which=SOMEWHERE, doc=NOTE_DOCS, limit=LIMITS)
    def show_page_by_page(self, which: int | None, doc: str, limit: int) -> None:
        name = None if which is None else self.present(which)
        shown = self.tail_pages("show", given({"branch": name, "doc": doc}), limit)
        self.assert_all_shown(self.model, self.model.notes(name, doc), doc, shown)

    @rule(one=SOME, other=SOME, doc=NOTE_DOCS, limit=LIMITS)
    def diff(self, one: int, other: int, doc: str, limit: int) -> None:
        for source, to in [(self.present(one), self.present(other)), (self.present(other), self.present(one))]:
            shown = self.tail_pages("diff", {"from": source, "to": to, "doc": doc}, limit)
            self.assert_all_shown(self.model, self.model.diff(source, to, doc), doc, shown)

    @rule(source=SOME, into=SOMEWHERE, doc=NOTE_DOCS, notes=st.lists(SAID, max_size=5), new=SOME)
    def merge(self, source: int, into: int | None, doc: str, notes: list[Arguments], new: int) -> None:
        """First what would be merged, then the merge, and then nothing is left, whatever it is called by then."""
        origin, target = self.present(source), None if into is None else self.present(into)
        if origin == target:
            return
        for said in notes:
            self._commit(origin, doc, said)
        self._merge_pages(self.model.copy(), origin, target, doc, 3, dry_run=True)
        self._merge_pages(self.model, origin, target, doc, 3)
        branch = self.model.branch(origin)
        self._rename(origin, self.new_name(new))
        self._merge_pages(self.model, branch.name, target, doc, PLENTY)

    def _merge_pages(
        self, model: Model, source: str, into: str | None, doc: str, limit: int, *, dry_run: bool = False
    ) -> None:
        arguments = {**merge_arguments(source, into, doc, dry_run=dry_run), "limit": limit}
        after, cursor = 0, None
        while True:
            asked = given({**arguments, "cursor": cursor})
            at = after
            done = self.both("merge", asked, lambda at=at: model.merge(source, into, doc, limit=limit, after=at))
            if not done:
                return
            answer, expected = done
            assert (answer["merged"], answer["skipped"]) == (expected.merged, expected.skipped)
            assert answer["pagination"]["count"] == len(expected.page)
            assert answer["pagination"]["has_more"] == expected.has_more
            assert (answer["from"], answer["doc"]) == (source, doc)
            assert answer["into"] == model.target(source, into).name
            if not expected.has_more:
                return
            after, cursor = expected.page[-1].tick, answer["pagination"]["next_cursor"]

    # The graph.

    @rule(batches=st.lists(st.tuples(SOMEWHERE, GRAPH_DOCS, OPS), min_size=1, max_size=3))
    def apply(self, batches: list[tuple[int | None, str, list[Op]]]) -> None:
        for which, doc, ops in batches:
            name = None if which is None else self.some_branch(which)
            good = self._valid_part(name, doc, ops) if name is None or name in self.model.names else ops
            self._apply(name, doc, good)

    @rule(which=SOME, ops=OPS, nonsense=NONSENSE, at=st.integers(0, 6))
    def apply_nonsense(self, which: int, ops: list[Op], nonsense: Op, at: int) -> None:
        """Good operations around a bad one are not applied either."""
        name = self.present(which)
        good = self._valid_part(name, "graph", ops)
        self._apply(name, "graph", [*good[:at], nonsense, *good[at:]])

    @rule(which=SOME, ops=OPS)
    def apply_as_it_comes(self, which: int, ops: list[Op]) -> None:
        self._apply(self.present(which), "graph", ops)

    def _apply(self, name: str | None, doc: str, ops: list[Op]) -> None:
        arguments = given({"branch": name, "doc": doc, "ops": ops})
        done = self.both("graph_apply", arguments, lambda: self.model.graph_apply(name, doc, ops))
        if done:
            answer, applied = done
            assert answer["applied"] == applied
            assert (answer["branch"], answer["doc"]) == (self.model.branch(name).name, doc)
            self.clock.saw(self.model.now, answer["last_seq"])

    def _valid_part(self, name: str | None, doc: str, ops: list[Op]) -> list[Op]:
        """Those that can be applied in this order."""
        tried, good = self.model.copy(), []
        for op in ops:
            try:
                tried.graph_apply(name, doc, [op])
            except Refused:
                continue
            good.append(op)
        return good

    @rule(which=SOMEWHERE, doc=GRAPH_DOCS, filters=FILTERS, limit=LIMITS, edges_limit=st.integers(0, 3))
    def query(self, which: int | None, doc: str, filters: Arguments, limit: int, edges_limit: int) -> None:
        name = None if which is None else self.present(which)
        found = self.model.graph_query(name, doc, **filters)
        asked = given({"branch": name, "doc": doc, **filters})
        pages = self.pages("graph_query", asked, limit)
        self.assert_newest_first(found, [(("node", node["id"]), node) for page in pages for node in page["nodes"]])
        for page in pages:
            self.assert_edges(self.model, name, doc, page)
        few = self.ask("graph_query", {**asked, "edges_limit": edges_limit})
        many = self.ask("graph_query", asked)
        assert few["nodes"] == many["nodes"]
        assert len(few["edges"]) == min(edges_limit, len(many["edges"]))
        assert all(edge in many["edges"] for edge in few["edges"])
        assert self.ask("graph_query", {**asked, "include_edges": False})["edges"] == []
        for tag in TAGS:
            shown = self.ask("graph_query", given({"branch": name, "doc": doc, "tags_any": [tag]}))["nodes"]
            tagged = self.model.graph_query(name, doc, tags_any=[tag])
            assert sorted(node["id"] for node in shown) == sorted(node.key[1] for node in tagged)

    @rule(which=SOME, doc=GRAPH_DOCS)
    def validate(self, which: int, doc: str) -> None:
        """A merge may bring an edge to where its node is not; nothing else may."""
        name = self.present(which)
        answer = self.ask("graph_validate", {"branch": name, "doc": doc})
        alive, dangling = self.model.alive(name, doc), self.model.dangling(name, doc)
        nodes = sum(key[0] == "node" for key in alive)
        assert answer["stats"] == {"nodes": nodes, "edges": len(alive) - nodes}
        assert answer["ok"] == (not dangling)
        assert {("edge", *error["key"].split("|")) for error in answer["errors"]} == dangling

    @rule(one=SOME, other=SOME, doc=GRAPH_DOCS, limit=LIMITS)
    def graph_diff(self, one: int, other: int, doc: str, limit: int) -> None:
        for source, to in [(self.present(one), self.present(other)), (self.present(other), self.present(one))]:
            pages = self.pages("graph_diff", {"from": source, "to": to, "doc": doc}, limit)
            shown = [(key_of(change), change["to"]) for page in pages for change in page["changes"]]
            self.assert_newest_first(self.model.graph_diff(source, to, doc), shown)

    # Merges of graphs.

    @rule(source=SOME, doc=GRAPH_DOCS, limit=LIMITS, by_name=st.booleans())
    def graph_merge(self, source: int, doc: str, limit: int, by_name: bool) -> None:
        self._merge_and_again(self.present(source), doc, limit, by_name)

    @rule(source=SOME, id=ID, mine=CHANGE, yours=CHANGE, more=OPS, limit=LIMITS, resolution=maybe(RESOLUTIONS))
    def both_sides_change_a_node_and_merge(
        self, source: int, id: str, mine: Op, yours: Op, more: list[Op], limit: int, resolution: str | None
    ) -> None:
        """What leads to conflicts, unless they say the same."""
        derived = [branch for branch in self.model.branches.values() if branch.base is not None]
        branch = derived[source % len(derived)] if derived else self.model.branch(None)
        base = self.model.base_of(branch) or branch
        for place, ops in [(branch.name, [{**mine, "id": id}, *more]), (base.name, [{**yours, "id": id}])]:
            good = self._valid_part(place, "graph", ops)
            self._apply(place, "graph", good)
        self._merge_and_again(branch.name, "graph", limit, by_name=False)
        for found in [found for found in self.model.conflicts if found.source == branch.id]:
            if resolution:
                self._resolve(found.id, resolution)
            self._merge_and_again(branch.name, "graph", limit, by_name=True)

    def _merge_and_again(self, origin: str, doc: str, limit: int, by_name: bool) -> None:
        """First what would be merged, then the merge, and then there is nothing left to merge."""
        base = self.model.base_of(self.model.branch(origin))
        into = base.name if base and by_name else None
        self._graph_merge(self.model.copy(), origin, into, doc, limit, dry_run=True)
        self._graph_merge(self.model, origin, into, doc, limit)
        again = self._graph_merge(self.model, origin, into, doc, PLENTY)
        assert not again or (again.merged, again.conflicts) == (0, [])

    def _graph_merge(
        self, model: Model, source: str, into: str | None, doc: str, limit: int, *, dry_run: bool = False
    ) -> GraphMerged | None:
        try:
            expected = model.graph_merge(source, into, doc)
        except Refused as refused:
            self.fails("graph_merge", merge_arguments(source, into, doc, dry_run=dry_run), set(refused.codes))
            return None
        pages = self.pages("graph_merge", merge_arguments(source, into, doc, dry_run=dry_run), limit)
        merged, skipped, created = (
            sum(page[part] for page in pages) for part in ("merged", "skipped", "conflicts_created")
        )
        assert (merged, created) == (expected.merged, len(expected.conflicts))
        # Whether a key in conflict is one that was skipped, too, is left open.
        assert skipped - expected.skipped in {0, expected.standing, expected.standing + created}
        found = [conflict for page in pages for conflict in page["conflicts"]]
        new = {conflict.key for conflict in expected.conflicts}
        assert {key_of(conflict) for conflict in found} >= new
        if dry_run:
            assert all(conflict["status"] == "preview" for conflict in found if key_of(conflict) in new)
        else:
            self._name_conflicts(expected, [id for page in pages for id in page["conflict_ids"]])
        return expected

    def _name_conflicts(self, expected: GraphMerged, ids: list[str]) -> None:
        """Learn what the product calls the conflicts that the model found."""
        named = {key_of(self.conflict(id)): id for id in ids}
        assert len(named) == len(ids) == len(expected.conflicts) + expected.standing
        for conflict in expected.conflicts:
            assert conflict.id in {"", named[conflict.key]}, "found again, it is called what it was called"
            conflict.id = named[conflict.key]
        names = [conflict.id for conflict in self.model.conflicts]
        assert len(names) == len(set(names))
        assert set(ids) <= set(names)

    @rule(source=SOME, into=SOME, doc=GRAPH_DOCS)
    def a_graph_goes_into_no_branch_but_its_base(self, source: int, into: int, doc: str) -> None:
        origin, target = self.present(source), self.present(into)
        branch = self.model.branch(origin)
        if self.model.branch(target).id not in {branch.base, branch.id}:
            self.fails("graph_merge", {"from": origin, "into": target, "doc": doc}, {"MERGE_NOT_SUPPORTED"})

    @rule(into=SOME, doc=GRAPH_DOCS, status=maybe(["open", "resolved", "superseded"]), limit=LIMITS)
    def conflicts_are_listed(self, into: int, doc: str, status: str | None, limit: int) -> None:
        self._lists_conflicts(self.present(into), doc, status, limit)

    def _lists_all_conflicts(self) -> None:
        for name in self.model.names:
            self._lists_conflicts(name, "graph", None, PLENTY)

    def _lists_conflicts(self, name: str, doc: str, status: str | None, limit: int) -> None:
        expected = {found.id: found for found in self.model.graph_conflicts(name, doc, status or "open")}
        pages = self.pages("graph_conflicts", given({"into": name, "doc": doc, "status": status}), limit)
        listed = [conflict for page in pages for conflict in page["conflicts"]]
        assert sorted(conflict["conflict_id"] for conflict in listed) == sorted(expected)
        ticks = [expected[conflict["conflict_id"]].tick for conflict in listed]
        assert ticks == sorted(ticks, reverse=True)
        for conflict in listed:
            found = expected[conflict["conflict_id"]]
            assert (conflict["kind"], key_of(conflict)) == (found.key[0], found.key)
            assert conflict["status"] == found.status

    @precondition(lambda self: self.model.conflicts)
    @rule(which=SOME)
    def a_conflict_is_shown_as_it_was_found(self, which: int) -> None:
        found = self.model.conflicts[which % len(self.model.conflicts)]
        shown = self.conflict(found.id)
        assert (shown["kind"], key_of(shown), shown["doc"]) == (found.key[0], found.key, found.doc)
        assert shown["from"] == self.model.branches[found.source].name
        assert shown["into"] == self.model.branches[found.into].name
        assert shown["status"] == found.status
        assert (shown.get("resolved_at_ms") is not None) == (found.status == "resolved")
        sides = [state_of(found.key, shown[side]) for side in ("base", "theirs", "ours")]
        assert sides == [found.base, found.theirs.state, self.model.ours(found)]

    @precondition(lambda self: self.model.conflicts)
    @rule(which=SOME, resolution=st.sampled_from(RESOLUTIONS))
    def resolve(self, which: int, resolution: str) -> None:
        self._resolve(self.model.conflicts[which % len(self.model.conflicts)].id, resolution)

    def _resolve(self, id: str, resolution: str) -> None:
        arguments = {"conflict_id": id, "resolution": resolution}
        done = self.both("graph_conflict_resolve", arguments, lambda: self.model.graph_conflict_resolve(id, resolution))
        if done:
            assert done[0] == {**done[0], "conflict_id": id, "status": "resolved", "applied": done[1]}

    # Earlier times.

    @rule(which=SOME, now=st.booleans())
    def look_back(self, which: int, now: bool) -> None:
        """Reads as of an earlier number answer as they did then, by the names of then."""
        if now or not self.remembered:
            self.remembered.append((self.store.call("ledger_status", {})["records"], self.model.copy()))
        seq, then = self.remembered[which % len(self.remembered)]
        self.assert_reads_as(then, list(NAMES), as_of=seq)


def run(machine: type[MindMachine], *, stories: int, steps: int, derandomize: bool) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=stories,
            stateful_step_count=steps,
            derandomize=derandomize,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_branches_notes_and_graphs_hold_what_the_model_holds():
    run(MindMachine, stories=15, steps=25, derandomize=True)


@pytest.mark.torture
@pytest.mark.parametrize("part", range(16))  # none so long that it is taken for stuck
def test_branches_notes_and_graphs_hold_what_the_model_holds_in_many_stories(part: int):
    run(MindMachine, stories=60, steps=60, derandomize=False)


@pytest.mark.torture
def test_branches_notes_and_graphs_on_postgres_hold_what_the_model_holds(request: pytest.FixtureRequest):
    server = server_url(request.config)

    class OnPostgres(MindMachine):
        fresh_place = staticmethod(lambda: fresh_schema(server))

    run(OnPostgres, stories=40, steps=40, derandomize=False)
