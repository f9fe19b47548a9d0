use super::super::to_json;
use super::*;
use pitree_format::js::stringify;

fn json(text: &str) -> String {
    stringify(&to_json(&markdown(text, LineEnds::Spaces)))
}

#[test]
fn blocks_and_emphasis() {
    for (text, expected) in [
        ("# A *b*", r#"[["h1","A ",["em","b"]]]"#),
        ("a\nb\\\nc", r#"[["p","a\nb",["br"],"c"]]"#),
        ("- a\n- [x] b", r#"[["ul",["li","a"],["li",["span",{"c":"done"},"☑"]," b"]]]"#),
        ("3. a", r#"[["ol",{"s":3},["li","a"]]]"#),
        ("> a\n\n---", r#"[["blockquote",["p","a"]],["hr"]]"#),
        ("~~a~~ `b` $c$", r#"[["p",["del","a"]," ",["code","b"]," $c$"]]"#),
        (
            "```rust\nfn a\n```",
            r#"[["div",{"c":"code"},["div",{"c":"language"},"rust"],["pre",["span",{"c":"tok-keyword"},"fn"]," a"]]]"#,
        ),
        (
            "|a|b|\n|-|-:|\n|c|d|e|",
            r#"[["table",["thead",["tr",["th","a"],["th",{"c":"right"},"b"]]],["tbody",["tr",["td","c"],["td",{"c":"right"},"d"],["td","e"]]]]]"#,
        ),
        ("|a|\n|-|", r#"[["table",["thead",["tr",["th","a"]]]]]"#),
    ] {
        assert_eq!(json(text), expected, "{text}");
    }
}

#[test]
fn markup_is_text() {
    assert_eq!(json("a <b onclick=x>c</b>"), r#"[["p","a <b onclick=x>c</b>"]]"#);
    assert_eq!(json("<script>\nx\n</script>"), r#"[["p",{"c":"plain"},"<script>\nx\n</script>"]]"#);
}

#[test]
fn links_are_checked() {
    for (text, expected) in [
        ("[a](https://b \"c\")", r#"[["p",["a",{"h":"https://b","t":"c · https://b"},"a"]]]"#),
        ("[a](javascript:x)", r#"[["p","a",["span",{"c":"address"}," (javascript:x)"]]]"#),
        ("<a@b.c>", r#"[["p",["a",{"h":"mailto:a@b.c"},"a@b.c"]]]"#),
        (
            "![a](http://b/c.png)",
            r#"[["p",["a",{"h":"http://b/c.png","t":"http://b/c.png"},"image: a"]]]"#,
        ),
        (
            "[![a](http://b)](http://c)",
            r#"[["p",["a",{"h":"http://c","t":"http://c"},"image: a",["span",{"c":"address"}," (http://b)"]]]]"#,
        ),
        (
            "(see https://a.b/c_d_e?f=g&h.) http://",
            r#"[["p","(see ",["a",{"h":"https://a.b/c_d_e?f=g&h"},"https://a.b/c_d_e?f=g&h"],".) http://"]]"#,
        ),
    ] {
        assert_eq!(json(text), expected, "{text}");
    }
}

#[test]
fn what_is_defined_is_shown() {
    for (text, expected) in [
        (
            "[a]\n\n[a]: https://b\n[c]: d",
            r#"[["p",["a",{"h":"https://b","t":"https://b"},"a"]],["p",{"c":"definition"},"[a]: https://b\n[c]: d"]]"#,
        ),
        ("a[^1]\n\n[^1]: b", r#"[["p","a[^1]"],["div",{"c":"definition"},"[^1]: ",["p","b"]]]"#),
        ("- [a]: b", r#"[["ul",["li",["p",{"c":"definition"},"- [a]: b"]]]]"#),
    ] {
        assert_eq!(json(text), expected, "{text}");
    }
}

#[test]
fn people_mean_their_line_ends() {
    let nodes = markdown("a\n   b\n- c\n  d", LineEnds::Kept);
    let expected = r#"[["p",{"c":"plain"},"a\n   b"],["ul",["li","c",["br"],"d"]]]"#;
    assert_eq!(stringify(&to_json(&nodes)), expected);
}

fn depth(nodes: &[Node]) -> usize {
    let below = nodes.iter().map(|node| match node {
        Node::Text(_) => 0,
        Node::Element(element) => 1 + depth(&element.children),
    });
    below.max().unwrap_or(0)
}

#[test]
fn nesting_and_size_have_an_end() {
    for text in ["> ", "- ", "1. ", "*a **b ", "[", "![", "> - "].map(|mark| mark.repeat(3000)) {
        let nodes = markdown(&format!("{text}word"), LineEnds::Spaces);
        assert!(depth(&nodes) < 24, "{}", depth(&nodes));
        assert!(text_of(&nodes).trim_end().ends_with("word"));
    }
    let wide = format!("{}\n{}\n{}", "|a".repeat(900), "|-".repeat(900), "|b\n".repeat(900));
    assert_eq!(markdown(&wide, LineEnds::Spaces).len(), 1);
    assert_eq!(json(&"x\n".repeat(200_000)).matches("[\"").count(), 1);
}

/// What takes time that grows faster than the text would take hours here.
#[test]
fn no_text_keeps_the_parser_busy() {
    let marks = [
        "> ",
        "*a **b ",
        "[",
        "![",
        "> - ",
        "[a](",
        "`",
        "|a",
        "<",
        "&#",
        "_a",
        "~~a",
        "[a]: b\n",
        "- [x]: y\n",
        "[^a]: b\n\n",
        "http://",
        "\n> ",
        "[a][",
        "![a](b \"",
        "a\n",
        "|a|\n|-|\n",
        "http://a(",
        "1. a\n   ",
    ];
    for mark in marks {
        let text = mark.repeat(MOST_BYTES / 2 / mark.len());
        assert!(!markdown(&text, LineEnds::Kept).is_empty() || mark.starts_with('>'), "{mark}");
    }
    let count = MOST_BYTES / 16;
    let nested = format!("{}a{}", "![".repeat(count), "](b)".repeat(count));
    assert!(depth(&markdown(&nested, LineEnds::Spaces)) < 24);
}
