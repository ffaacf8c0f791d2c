from __future__ import annotations

from tests.cli.running import Cli


def test_an_audit_from_the_command_line(cli: Cli) -> None:
    assert "found: nothing" in cli.ok("audit").out
    cli.ok("remember", "Ana lives in Porto")
    cli.ok("remember", "ana lives in PORTO!")
    (found,) = cli.json("audit")["audit"]["found"]
    assert "1 duplicate" in cli.ok("audit").out
    assert "1 finding mended" in cli.ok("audit", "--fix", found["id"]).out
    assert cli.json("audit", "--fix-all")["fixed"] == {"fixed": 0, "forgotten": 0, "gone": 0}
