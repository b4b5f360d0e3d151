"""Games over the network: FastAPI and WebSocket in front, an event log on SQLAlchemy behind.

| module | what lives there |
|---|---|
| `settings` | what an operator may set, with every limit |
| `protocol` | every message and every body, as models; docs/protocol.md says what they mean |
| `tokens` | unguessable names and tokens |
| `schema`, `migrations/`, `store` | the database; concurrent writes share a commit |
| `log` | a table as its events tell it, without network or clock |
| `levels`, `thinker`, `thinking` | agents on the operator's list, thinking in processes of their own |
| `views` | what of a table clients get to see |
| `table`, `tables` | live tables: what may be done, and who hears of it |
| `limits`, `page`, `rule_html` | who may ask how often; the built page; rule pages as HTML |
| `socket`, `compression`, `rest`, `app`, `run` | the doors, and the server as a program |
| `bot`, `backup` | a client that plays, a copy of every game |

A move is acknowledged only after its commit (write-ahead log, group commit): what a client knows is still there after
a crash.
"""
