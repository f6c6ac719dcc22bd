//! The words of lessons, in the languages that lessons have.

/// A language of lessons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Language {
    /// English.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

impl Language {
    /// All of them.
    pub(crate) const ALL: [Self; 2] = [Self::English, Self::Chinese];

    /// Returns its code: that of the folder of its lessons.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
        }
    }

    /// Returns its name in itself.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Chinese => "简体中文",
        }
    }

    /// Returns the language that a code begins with: `zh-CN`.
    pub(crate) fn of(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| code.to_ascii_lowercase().starts_with(language.code()))
    }

    /// Returns its words.
    pub(crate) fn words(self) -> &'static Words {
        match self {
            Self::English => &ENGLISH,
            Self::Chinese => &CHINESE,
        }
    }
}

/// The words of a language.
pub(crate) struct Words {
    pub(crate) title: &'static str,
    pub(crate) about: &'static str,
    pub(crate) language: &'static str,
    pub(crate) done: &'static str,
    pub(crate) locked: &'static str,
    pub(crate) field: &'static str,
    pub(crate) field_hint: &'static str,
    pub(crate) run: &'static str,
    pub(crate) runs: &'static str,
    pub(crate) hint: &'static str,
    pub(crate) solution: &'static str,
    pub(crate) run_solution: &'static str,
    pub(crate) not_yet: &'static str,
    pub(crate) right: &'static str,
    pub(crate) wrong: &'static str,
    pub(crate) finished: &'static str,
    pub(crate) next: &'static str,
    pub(crate) not_listed: &'static str,
    pub(crate) untold: &'static str,
    /// The title of what is written of requests.
    pub(crate) written: &'static str,
    steps: [&'static str; 3],
    lessons: [&'static str; 3],
    broken: &'static str,
    not_checked: &'static str,
}

impl Words {
    /// Tells how many steps are done.
    pub(crate) fn steps(&self, done: usize, all: usize) -> String {
        counted(&self.steps, done, all)
    }

    /// Tells how many lessons are done.
    pub(crate) fn lessons(&self, done: usize, all: usize) -> String {
        counted(&self.lessons, done, all)
    }

    /// Tells that a part of a lesson cannot be read.
    pub(crate) fn broken(&self, why: &str) -> String {
        [self.broken, why].concat()
    }

    /// Tells that a check could not be made.
    pub(crate) fn not_checked(&self, why: &str) -> String {
        [self.not_checked, why].concat()
    }
}

fn counted(parts: &[&str; 3], done: usize, all: usize) -> String {
    let [before, between, after] = parts;
    format!("{before}{done}{between}{all}{after}")
}

const ENGLISH: Words = Words {
    title: "Lessons",
    about: "Learn the API by using it. Each lesson has a cluster of its own, and notices what you do in it.",
    language: "Language",
    done: "Done",
    locked: "Do the steps above first.",
    field: "Your request",
    field_hint: "GET /api/v1/…, a line of kubectl or curl, or a manifest",
    run: "Run",
    runs: "Running…",
    hint: "Hint",
    solution: "Show a solution",
    run_solution: "Run the solution",
    not_yet: "Not yet.",
    right: "Right.",
    wrong: "Not quite.",
    finished: "You have done all steps of this lesson.",
    next: "Next lesson",
    not_listed: "The list of lessons could not be loaded. Reload the page to try again.",
    untold: "Your progress could not be sent to the workshop’s server.",
    written: "Requests of a tab",
    steps: ["", " of ", " steps"],
    lessons: ["", " of ", " done"],
    broken: "This part of the lesson cannot be read: ",
    not_checked: "The step could not be checked. Run something to try again: ",
};

const CHINESE: Words = Words {
    title: "课程",
    about: "在使用中学习 API。每门课程都有自己的集群，并会留意你在其中的操作。",
    language: "语言",
    done: "已完成",
    locked: "请先完成上面的步骤。",
    field: "你的请求",
    field_hint: "GET /api/v1/…、kubectl 或 curl 命令，或清单",
    run: "运行",
    runs: "正在运行…",
    hint: "提示",
    solution: "查看解答",
    run_solution: "运行解答",
    not_yet: "尚未完成。",
    right: "正确。",
    wrong: "不对。",
    finished: "你已完成本课的所有步骤。",
    next: "下一课",
    not_listed: "无法加载课程列表。请重新加载页面再试。",
    untold: "无法将你的进度发送到研讨会的服务器。",
    written: "一个标签页的请求",
    steps: ["已完成 ", " / ", " 步"],
    lessons: ["已完成 ", " / ", " 课"],
    broken: "无法读取本课的这一部分：",
    not_checked: "无法检查这一步。请运行任意请求以重试：",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_by_their_codes() {
        let check = |code: &str, expected| assert_eq!(Language::of(code), expected, "{code}");
        check("zh-Hans-CN", Some(Language::Chinese));
        check("ZH", Some(Language::Chinese));
        check("en-GB", Some(Language::English));
        check("fr", None);
        assert_eq!(ENGLISH.steps(1, 3), "1 of 3 steps");
        assert_eq!(CHINESE.lessons(1, 3), "已完成 1 / 3 课");
    }
}
