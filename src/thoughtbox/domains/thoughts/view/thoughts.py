"""The view of this room: sessions, their lines of thought, and what is linked to what."""

from __future__ import annotations

from thoughtbox.domains.thoughts.model.critique import TOPIC as CRITIQUE
from thoughtbox.domains.thoughts.model.session import CHANGED, STARTED
from thoughtbox.domains.thoughts.model.thought import TOPIC, Thought
from thoughtbox.domains.thoughts.view.lines import MAIN, LineTables
from thoughtbox.domains.thoughts.view.links import CRITIQUES, LinkTables
from thoughtbox.domains.thoughts.view.sessions import SessionTables
from thoughtbox.domains.thoughts.view.states import StateTables
from thoughtbox.ledger.record import Record, seq_of


class Thoughts(SessionTables, LineTables, LinkTables, StateTables):
    """Answers questions about now or any earlier time. What does not ask for all of a session is O(1) of its size."""

    name = "thoughts"
    follows = frozenset({STARTED, CHANGED, TOPIC, CRITIQUE})
    schema = "thoughts.sql"
    generation = 4

    def apply(self, record: Record) -> None:
        match record.topic:
            case "thoughts.thought":
                thought = Thought.of(record)
                is_first = self.take_node(thought)
                self.take_links(thought, is_first_of_branch=is_first and thought.branch_id not in (None, MAIN))
                self.take_states(thought)
                self.take_update(thought.session_id, thought.seq)
            case "thoughts.session":
                self.take_start(record)
            case "thoughts.session_changed":
                self.take_change(record)
                self.take_fate(record)
            case "thoughts.critique":
                target = seq_of(record.data["of"])
                assert target is not None
                self.take_link(target, CRITIQUES, record.seq)
