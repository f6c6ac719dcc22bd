//! The phrases of drafts, in the languages that lessons have. `{}` stands for what a phrase is about.

/// The phrases of a language.
#[derive(Debug)]
pub struct Words {
    /// A collection that is watched, listed, deleted: its plural name.
    pub(super) watch: &'static str,
    pub(super) list: &'static str,
    pub(super) delete_all: &'static str,
    /// An object, by its kind and its name.
    pub(super) object: &'static str,
    /// An object whose name the server makes: its kind.
    pub(super) unnamed: &'static str,
    /// An object without a name: its kind.
    pub(super) nameless: &'static str,
    /// A subresource, and the object that it belongs to.
    pub(super) part: &'static str,
    /// The verbs for an object, or for a part of it.
    pub(super) create: &'static str,
    pub(super) read: &'static str,
    pub(super) replace: &'static str,
    pub(super) patch: &'static str,
    pub(super) apply: &'static str,
    pub(super) delete: &'static str,
    /// The verb for another method, or another path.
    pub(super) send: &'static str,
    /// Something that is done as a dry run.
    pub(super) dry_run: &'static str,
    /// Something, and how it ends.
    pub(super) ends: &'static str,
    /// The task of a step: what is done, and the response.
    pub(super) task: &'static str,
    /// The task of a step of which the response is not known.
    pub(super) task_alone: &'static str,
    /// A field, and its value afterwards.
    pub(super) field: &'static str,
    /// A field that is not there afterwards.
    pub(super) no_field: &'static str,
    /// The hint: a request line.
    pub(super) hint: &'static str,
    /// The question of a step that is refused.
    pub(super) asked: &'static str,
    /// The choices of that question: that it succeeds, that nothing happens.
    pub(super) succeeds: &'static str,
    /// The sentences of checks: no request yet; an object that is not there; one that is still there; one with other fields.
    pub(super) not_sent: &'static str,
    pub(super) not_there: &'static str,
    pub(super) still_there: &'static str,
    pub(super) other_fields: &'static str,
}

/// English.
pub static ENGLISH: Words = Words {
    watch: "Watch `{}`",
    list: "List `{}`",
    delete_all: "Delete all `{}`",
    object: "the {} `{}`",
    unnamed: "a {} with a generated name",
    nameless: "a {}",
    part: "`{}` of {}",
    create: "Create {}",
    read: "Read {}",
    replace: "Replace {}",
    patch: "Patch {}",
    apply: "Apply {}",
    delete: "Delete {}",
    send: "Send `{}`",
    dry_run: "{}, as a dry run",
    ends: "{}: {}",
    task: "{}. The response is `{}`.",
    task_alone: "{}.",
    field: "- `{}` is `{}`.",
    no_field: "- There is no `{}`.",
    hint: "The request begins with: {}",
    asked: "What does the server say?",
    succeeds: "The request succeeds.",
    not_sent: "No request `{}` has had the response `{}` yet.",
    not_there: "There is no `{}` yet.",
    still_there: "`{}` is still there.",
    other_fields: "`{}` is not as the step describes it yet: look at `{}`.",
};

/// Simplified Chinese.
pub static CHINESE: Words = Words {
    watch: "监视 `{}`",
    list: "列出 `{}`",
    delete_all: "删除所有 `{}`",
    object: "{} `{}`",
    unnamed: "{}（名称由服务器生成）",
    nameless: "{}",
    part: "{1} 的 `{0}`",
    create: "创建 {}",
    read: "读取 {}",
    replace: "替换 {}",
    patch: "修补 {}",
    apply: "应用 {}",
    delete: "删除 {}",
    send: "发送 `{}`",
    dry_run: "{}（试运行）",
    ends: "{}：{}",
    task: "{}。响应是 `{}`。",
    task_alone: "{}。",
    field: "- `{}` 是 `{}`。",
    no_field: "- 没有 `{}`。",
    hint: "请求以此开头：{}",
    asked: "服务器会怎么说？",
    succeeds: "请求成功。",
    not_sent: "还没有请求 `{}` 得到响应 `{}`。",
    not_there: "还没有 `{}`。",
    still_there: "`{}` 还在。",
    other_fields: "`{}` 还不是本步骤所要求的样子：请看 `{}`。",
};

/// Returns a phrase with its places filled: `{}` in order, `{0}` and `{1}` by their numbers.
pub(super) fn filled(phrase: &str, texts: &[&str]) -> String {
    let mut out = String::new();
    let (mut rest, mut next) = (phrase, 0);
    while let Some((before, after)) = rest.split_once('{') {
        let Some((number, after)) = after.split_once('}') else { break };
        let at = number.parse().unwrap_or(next);
        next += 1;
        out.extend([before, texts.get(at).copied().unwrap_or_default()]);
        rest = after;
    }
    out + rest
}
