//! `kubeglass-bundle`: makes the page's files out of the modules that the compiler wrote, and serves them. `cargo xtask`
//! calls it.

mod documents;
mod files;
mod index;
mod languages;
mod lessons;
mod module;
mod names;
mod optimise;
mod order;
mod pack;
mod serve;
mod styles;

use optimise::Optimise;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "Usage: kubeglass-bundle <command>

  module NAME MODULE FOLDER [--small | --fast]
                                          split a module, and put what is to be loaded of it into a folder, optimised
                                          for its size or its speed
  worker FOLDER                           put the worker beside the engine in a folder
  page FOLDER                             put the page into a folder: what stands in target/page and target/page-engine, what
                                          is served as it is, and index.html with the names of all that
  serve FOLDER ADDRESS REMOTE             serve a folder; what is asked for under /remote/ comes from a server at REMOTE";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        ["module", name, module, folder, ref how @ ..] => match how {
            [] => module::make(name, Path::new(module), Path::new(folder), Optimise::Not),
            ["--small"] => module::make(name, Path::new(module), Path::new(folder), Optimise::Size),
            ["--fast"] => module::make(name, Path::new(module), Path::new(folder), Optimise::Speed),
            _ => Err(USAGE.to_owned()),
        },
        ["worker", folder] => index::write_worker(Path::new(folder)),
        ["page", folder] => index::make(Path::new(folder)),
        ["serve", folder, address, remote] => serve::run(Path::new(folder), address, remote),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
