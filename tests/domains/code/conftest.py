"""The table of the product, and what code mode makes of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pydantic_monty import Monty, MontySession

from thoughtbox import domains
from thoughtbox.domains.code.catalog import Catalog
from thoughtbox.domains.code.catalog import catalog as catalog_of
from thoughtbox.domains.code.declarations import python
from thoughtbox.operations import Table


@pytest.fixture(scope="session")
def table() -> Table:
    return domains.known()


@pytest.fixture(scope="session")
def catalog(table: Table) -> Catalog:
    return catalog_of(table)


@pytest.fixture(scope="module")
def checker(table: Table) -> Iterator[MontySession]:
    """A sandbox that has the declarations of everything, and nothing of it."""
    with Monty() as pool, pool.checkout(type_check=True, type_check_stubs=python(table)) as session:
        yield session
