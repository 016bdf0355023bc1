"""As much of curl as the guides use, for machines without it: `python curl.py OPTIONS URL`."""

import argparse
import sys
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import MozillaCookieJar
from pathlib import Path
from typing import Any


def main(arguments: list[str]) -> int:
    """Send one request, write its answer, and return 0, or 7 where nobody answered."""
    options = read(arguments)
    jar = MozillaCookieJar()
    if options.cookie:
        jar.load(options.cookie, ignore_discard=True)
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar), Stays())
    answer: Any
    try:
        answer = opener.open(request_of(options))
    except urllib.error.HTTPError as refused:
        answer = refused
    except OSError as error:
        print(error, file=sys.stderr)
        return 7
    body = answer.read()
    if options.output:
        Path(options.output).write_bytes(body)
    else:
        sys.stdout.buffer.write(body)
    if options.cookie_jar:
        jar.save(options.cookie_jar, ignore_discard=True)
    return 0


class Stays(urllib.request.HTTPRedirectHandler):
    """Follow no redirect, as curl does without being told to."""

    def redirect_request(self, *_arguments: Any, **_named: Any) -> None:
        """Let the redirect be the answer."""


def read(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("url")
    parser.add_argument("-s", "--silent", action="store_true")
    parser.add_argument("-G", "--get", action="store_true")
    parser.add_argument("-X", "--request")
    parser.add_argument("-H", "--header", action="append", default=[])
    parser.add_argument("-d", "--data", action="append", default=[])
    parser.add_argument("--data-urlencode", action="append", default=[])
    parser.add_argument("--data-binary")
    parser.add_argument("-o", "--output")
    parser.add_argument("-b", "--cookie")
    parser.add_argument("-c", "--cookie-jar")
    return parser.parse_args(arguments)


def request_of(options: argparse.Namespace) -> urllib.request.Request:
    parts = [text.encode() for text in options.data]
    for text in options.data_urlencode:
        name, _, value = text.partition("=")
        parts.append(f"{name}={urllib.parse.quote(value, safe='')}".encode())
    if options.data_binary:
        source = options.data_binary
        parts.append(Path(source[1:]).read_bytes() if source.startswith("@") else source.encode())
    body = b"&".join(parts) if parts else None
    url = options.url
    if options.get and body is not None:
        url, body = f"{url}?{body.decode()}", None
    request = urllib.request.Request(url, data=body, method=options.request)
    for header in options.header:
        name, _, value = header.partition(":")
        request.add_header(name, value.strip())
    return request


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
