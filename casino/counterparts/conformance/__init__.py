"""What a wallet must do, as checks that its developer runs against their own server.

`python -m casino.counterparts.conformance URL` needs no database and nothing of Bluecard but the signature,
which is the product's own: a wallet that passes takes what Bluecard sends.
"""
