"""A place for work that many threads bring."""

from __future__ import annotations

import threading
import time

from tests.support.forks import PATIENCE
from thoughtbox.doors.mcp.transports.mailbox import Mailbox

THREADS, EACH = 8, 300


def test_what_many_threads_post_is_done_once_each_one_at_a_time_and_in_the_order_of_each():
    mailbox, done, inside = Mailbox(), [], []

    def step(thread: int, number: int) -> None:
        inside.append(thread)
        assert len(inside) == 1, "somebody else is at it"
        done.append((thread, number))
        inside.pop()

    def post(thread: int) -> None:
        for number in range(EACH):
            mailbox.post(lambda number=number: step(thread, number))

    threads = [threading.Thread(target=post, args=(thread,)) for thread in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(done) == THREADS * EACH
    for thread in range(THREADS):
        assert [number for owner, number in done if owner == thread] == list(range(EACH))


def test_what_is_posted_from_within_is_done_behind_what_runs():
    mailbox, done = Mailbox(), []

    def outer() -> None:
        mailbox.post(lambda: done.append("inner"))
        done.append("outer")

    mailbox.post(outer)

    assert done == ["outer", "inner"]


def test_one_that_fails_does_not_keep_the_next_from_being_done():
    mailbox, done = Mailbox(), []

    mailbox.post(lambda: done.append(done[7]))
    mailbox.post(lambda: done.append("next"))

    assert done == ["next"]


def test_who_posts_while_somebody_is_at_it_does_not_wait():
    mailbox, begun, go_on, done = Mailbox(), threading.Event(), threading.Event(), []
    slow = threading.Thread(target=mailbox.post, args=(lambda: (begun.set(), go_on.wait(), done.append("slow")),))
    slow.start()
    begun.wait()

    mailbox.post(lambda: done.append("quick"))  # comes back at once

    assert done == []
    go_on.set()
    slow.join()
    assert done == ["slow", "quick"]


def test_what_is_to_be_done_later_is_unless_it_is_taken_back():
    mailbox, done = Mailbox(), threading.Event()

    mailbox.later(60, lambda: None)()
    recall = mailbox.later(0.001, done.set)

    assert done.wait(PATIENCE)
    recall()
    time.sleep(0)
