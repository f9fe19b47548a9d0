"""`sharegpt` as TRL turns it into messages: sharegpt.py ROWS."""

import sys

from trl.data_utils import is_conversational, is_conversational_from_value, maybe_convert_to_chatml

from common import byte_tokenizer, check, load, read_lines

CHATML = "{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}"


def main(rows_path):
    rows = read_lines(rows_path)
    tokenizer = byte_tokenizer(CHATML)
    for row, loaded in zip(rows, load(rows_path), strict=True):
        check(is_conversational_from_value(loaded), "not in ShareGPT's form")
        converted = maybe_convert_to_chatml(loaded)
        check(is_conversational(converted), "TRL did not convert it")
        expected = "".join(
            f"<{turn['from']}>{turn['value']}</{turn['from']}>"
            for turn in row["conversations"]
        )
        found = tokenizer.apply_chat_template(converted["messages"], tokenize=False)
        check(found == expected, f"{found!r}\n{expected!r}")
    print(f"{len(rows)} rows")


main(*sys.argv[1:])
