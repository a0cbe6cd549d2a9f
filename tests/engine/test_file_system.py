"""On which file system a path is, read from what Linux says of its mounts."""

from __future__ import annotations

from pathlib import Path

import pytest

from thoughtbox.engine import file_system
from thoughtbox.engine.file_system import is_network, mounted_as
from thoughtbox.engine.sqlite import SqliteEngine
from thoughtbox.errors import StorageError

MOUNTS = r"""
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
30 25 0:27 / /tmp rw,nosuid,nodev shared:5 master:2 - tmpfs tmpfs rw,size=24684100k
98 27 0:53 / /home rw,relatime shared:42 - nfs4 server:/home rw,vers=4.2,rsize=1048576,addr=192.0.2.7
99 27 0:54 / /mnt/my\040share rw,relatime - cifs //nas/share rw,vers=3.1.1
100 98 0:55 / /home/me/far rw,nosuid,nodev - fuse.sshfs me@host: rw,user_id=1000
101 98 253:1 / /home/local rw,relatime - xfs /dev/vdb rw
102 27 0:56 / /mnt/c rw,noatime - 9p drive rw,aname=drvfs;path=C:\;uid=1000
103 27 0:57 / /mnt/smb rw - smb3 //nas/share rw
104 27 0:58 / /mnt/cluster rw - ceph 192.0.2.1:6789:/ rw
105 27 0:59 / /mnt/bricks rw - fuse.glusterfs server:/volume rw
106 27 0:60 / /afs rw - afs none rw
107 27 0:61 / /var/lib/docker/overlay2/1/merged rw - overlay overlay rw
108 107 0:62 / /var/lib/docker/overlay2/1/merged rw - tmpfs tmpfs rw
"""


@pytest.mark.parametrize(
    ("path", "kind", "network"),
    [
        ("/var/lib/thoughtbox", "ext4", False),
        ("/tmp/x", "tmpfs", False),
        ("/home/me/.thoughtbox", "nfs4", True),
        ("/home/me/far/.thoughtbox", "fuse.sshfs", True),
        ("/home/local/x", "xfs", False),
        ("/home/locally/x", "nfs4", True),
        ("/mnt/my share/x", "cifs", True),
        ("/mnt/c/Users/me", "9p", False),
        ("/mnt/smb/x", "smb3", True),
        ("/mnt/cluster/x", "ceph", True),
        ("/mnt/bricks/x", "fuse.glusterfs", True),
        ("/afs/cell/user", "afs", True),
        ("/var/lib/docker/overlay2/1/merged/data", "tmpfs", False),
    ],
)
def test_a_network_file_system_is_known_by_its_mount(path: str, kind: str, network: bool):
    assert mounted_as(Path(path), MOUNTS) == kind
    assert is_network(kind) is network


def test_what_cannot_be_read_says_nothing():
    assert mounted_as(Path("/home"), "") is None
    assert mounted_as(Path("/home"), "27 1 254:0 / /\nnonsense") is None


def test_a_store_on_a_network_file_system_is_refused_and_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    mounts = tmp_path / "mountinfo"
    mounts.write_text("27 1 0:31 / / rw,relatime - nfs4 server:/ rw\n", encoding="utf-8")
    monkeypatch.setattr(file_system, "MOUNTS", mounts)
    with pytest.raises(StorageError, match=r"network file system \(nfs4\)") as caught:
        SqliteEngine(tmp_path / "data" / "thoughtbox.db")
    assert "PostgreSQL" in (caught.value.recovery or "")
    assert not (tmp_path / "data").exists()
