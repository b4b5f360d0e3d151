"""Games over the network: FastAPI and WebSocket in front, an event log on SQLAlchemy behind.

| module | what lives there |
|---|---|
| `settings` | what an operator may set, with every limit |
| `connections` | how many, from whom, and how long a request may take to arrive |
| `protocol` | every message and every body, as models; docs/protocol.md says what they mean |
| `tokens` | unguessable names and tokens |
| `schema`, `migrations/`, `store`, `possession` | the database; concurrent writes share a commit; one server has it |
| `storage`, `administration` | what is kept and for how long; what an operator does beside the server |
| `log` | a table as its events tell it, without network or time of its own |
| `clocks` | whose time runs out next, also while nobody looks, and for how long no server lived |
| `levels`, `learnt`, `thinker`, `thinking` | agents on the operator's list, thinking in processes of their own |
| `views` | what of a table clients get to see |
| `table`, `tables` | live tables: what may be done, and who hears of it |
| `limits`, `page`, `rule_html` | what each client may use; the built page; rule pages as HTML |
| `metrics`, `operator_log` | figures for Prometheus; a bounded log without tokens |
| `socket`, `compression`, `rest`, `app`, `run` | the doors, and the server as a program |
| `bot`, `backup` | a client that plays; a copy of every game, and the way back |

A move is acknowledged only after its commit (write-ahead log, group commit): what a client knows is still there after
a crash.
"""
