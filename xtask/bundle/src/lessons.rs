//! The lessons: their files, and the list of them that the page shows.

use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, io};

use serde::{Deserialize, Serialize};

use crate::files::text;

/// The folder of the lessons: in it one for each language, and [`ORDER`].
const FOLDER: &str = "static/lessons";
/// The languages, as the fields of [`Texts`].
const LANGUAGES: [&str; 2] = ["en", "zh"];
/// The order in which they are to be read: names of files, without their ending, in sections.
const ORDER: &str = "static/lessons/order.yaml";
/// The list that the page loads.
const LIST: &str = "lessons.json";

/// A text in each language.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Texts {
    en: String,
    zh: String,
}

/// A section of [`ORDER`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    title: Texts,
    lessons: Vec<String>,
}

/// A section of the list.
#[derive(Serialize)]
struct ListedSection {
    title: Texts,
    lessons: Vec<Listed>,
}

/// A lesson of the list.
#[derive(Serialize)]
struct Listed {
    name: String,
    title: Texts,
    about: Texts,
}

/// The front matter of a lesson, as far as it is listed.
#[derive(Deserialize)]
struct FrontMatter {
    title: String,
    lesson: Lesson,
}

#[derive(Deserialize)]
struct Lesson {
    about: String,
}

/// Writes the lessons into a folder, and the list of them.
///
/// # Errors
/// A lesson is not in the order, or not there in a language; it has no title; or the folder cannot be written.
pub(crate) fn write(folder: &Path) -> Result<(), String> {
    let sections: Vec<Section> = serde_yaml::from_str(&text(Path::new(ORDER))?)
        .map_err(|error| format!("{ORDER} cannot be read: {error}"))?;
    let names: BTreeSet<&str> =
        sections.iter().flat_map(|section| &section.lessons).map(String::as_str).collect();
    if names.len() < sections.iter().map(|section| section.lessons.len()).sum() {
        return Err(format!("{ORDER} names a lesson twice"));
    }
    for language in LANGUAGES {
        copy(language, &names, folder)?;
    }
    let listed = |section: Section| {
        let lessons = section.lessons.iter().map(|name| listed(name)).collect::<Result<Vec<_>, _>>()?;
        Ok::<_, String>(ListedSection { title: section.title, lessons })
    };
    let list: Vec<ListedSection> = sections.into_iter().map(listed).collect::<Result<_, _>>()?;
    let json = serde_json::to_vec(&list).map_err(|error| error.to_string())?;
    fs::write(folder.join(LIST), json).map_err(|error| format!("{LIST} cannot be written: {error}"))
}

/// Copies the lessons of a language.
fn copy(language: &str, names: &BTreeSet<&str>, folder: &Path) -> Result<(), String> {
    let from = Path::new(FOLDER).join(language);
    let failed = |error: io::Error| format!("The lessons in {} cannot be copied: {error}", from.display());
    let to = folder.join(language);
    if to.exists() {
        fs::remove_dir_all(&to).map_err(failed)?;
    }
    fs::create_dir_all(&to).map_err(failed)?;
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(&from).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_none_or(|extension| extension != "md") {
            return Err(format!("{} is no lesson", path.display()));
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !names.contains(name.as_str()) {
            return Err(format!("{} is not in {ORDER}", path.display()));
        }
        fs::copy(&path, to.join(path.file_name().unwrap_or_default())).map_err(failed)?;
        found.insert(name);
    }
    match names.iter().find(|name| !found.contains(**name)) {
        Some(missing) => Err(format!("{} has no {missing}.md, which is in {ORDER}", from.display())),
        None => Ok(()),
    }
}

fn listed(name: &str) -> Result<Listed, String> {
    let [en, zh] = LANGUAGES.map(|language| words(language, name));
    let ((en, en_about), (zh, zh_about)) = (en?, zh?);
    Ok(Listed { name: name.to_owned(), title: Texts { en, zh }, about: Texts { en: en_about, zh: zh_about } })
}

/// Returns the title of a lesson, and what it is about.
fn words(language: &str, name: &str) -> Result<(String, String), String> {
    let file = format!("{FOLDER}/{language}/{name}.md");
    let text = text(Path::new(&file))?;
    let front = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    let (front, _) = front.ok_or_else(|| format!("{file} has no front matter"))?;
    let front: FrontMatter = serde_yaml::from_str(front)
        .map_err(|error| format!("The front matter of {file} cannot be read: {error}"))?;
    Ok((front.title, front.lesson.about))
}
