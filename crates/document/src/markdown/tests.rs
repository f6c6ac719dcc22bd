use super::*;

#[track_caller]
fn check(markdown: &str, html: &str) {
    assert_eq!(read(markdown, "a.md").unwrap_or_default().html.trim(), html, "{markdown}");
}

#[test]
fn text() {
    check("a *b* `c`", "<p>a <em>b</em> <code>c</code></p>");
    check(
        "## A b {#x}\n\n## A b\n\n## A b",
        "<h2 id=\"x\">A b</h2><h2 id=\"a-b\">A b</h2><h2 id=\"a-b-2\">A b</h2>",
    );
    check("# A <b>c</b>", "<h2 id=\"a-c\">A c</h2>");
    check("{{< note >}}\na\n{{< /note >}}", "<p>a</p>");
    check("<!-- a\n\n```http\nGET /a\n```\n-->\nb", "<p>b</p>");
    check("a<br>b", "<p>a<br>\nb</p>");
}

#[test]
fn blocks_have_their_places() {
    let page = read("1. a\n\n   ```http\n   GET /api\n   ```\n\n2. b\n\n```go\nx < y\n```\n", "a.md")
        .unwrap_or_default();
    assert!(page.html.contains("<div data-block=\"0\"></div>"), "{}", page.html);
    assert!(page.html.contains("<pre><code>x &lt; y\n</code></pre>"), "{}", page.html);
    assert_eq!(page.blocks.iter().map(|block| block.line).collect::<Vec<_>>(), [3, 9]);
}

#[test]
fn nothing_of_a_document_is_markup() {
    for hostile in [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "a <b onclick=\"x()\">b</b>",
        "[a](javascript:alert(1))",
        "[a](JavaScript&colon;alert(1))",
        "[a](data:text/html,x)",
        "![a](https://example.com/x.png)",
        "<style>body{display:none}</style>",
        "<iframe src=\"//example.com\"></iframe>",
        "```http\n<script>alert(1)</script>\n```",
        "## <script>alert(1)</script>",
        "<div\nonmouseover=\"x()\"\n>a</div>",
        "## a {#\"><script>}",
        "<!-- --><script>alert(1)</script>",
    ] {
        let html = read(hostile, "a.md").unwrap_or_default().html.to_ascii_lowercase();
        let tags = html.split('<').skip(1).map(|tag| tag.split('>').next().unwrap_or_default());
        for tag in tags {
            let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
            let known = ["p", "a", "h2", "h3", "em", "strong", "code", "pre", "div", "li", "ul", "ol", "br"];
            assert!(known.contains(&name), "{hostile}: {html}");
            assert!(!tag.contains("=\"javascript") && !tag.contains("on"), "{hostile}: {html}");
        }
    }
}

#[test]
fn what_is_huge_or_deep_is_read() {
    for (text, count) in
        [("> ", 20_000), ("- ", 5_000), ("*a ", 20_000), ("[", 20_000), ("| a ", 20_000), ("{{< ", 20_000)]
    {
        let html = read(&text.repeat(count), "a.md").unwrap_or_default().html;
        assert!(html.matches("<blockquote>").count() <= DEEPEST && html.matches("<ul>").count() <= DEEPEST);
    }
    assert_eq!(read(&"a".repeat(LARGEST + 1), "a.md"), Err(TooLarge));
    let many = read(&"```\nGET /api\n```\n".repeat(3 * MOST), "a.md").unwrap_or_default();
    assert_eq!((many.blocks.len(), many.html.matches("<pre>").count()), (MOST, 2 * MOST));
}

#[test]
fn front_matter_is_no_text() {
    let page = read("---\ntitle: \"A b\"\nscene:\n  revision: 7\n---\n\nc\n", "a.md").unwrap_or_default();
    assert_eq!((page.title.as_str(), page.html.trim()), ("A b", "<p>c</p>"));
    assert!(page.front_matter.contains("revision: 7"));
}

#[test]
fn texts_without_markdown() {
    let text = "About pods\n  1. List:\n    GET /api/v1/pods\n    ---\n    200 OK\n    Content-Type: application/json\n    {\n      \"kind\": \"PodList\"\n    }\n    \n  * More\nGET /apis/GROUP - a collection\n";
    let page = read(text, "a.txt").unwrap_or_default();
    let blocks: Vec<_> = page.blocks.iter().map(|block| (block.line, block.text.lines().count())).collect();
    assert_eq!(blocks, [(3, 7)], "{}", page.html);
    assert!(page.html.contains("<p>* More</p>"), "{}", page.html);
}
