//! `kubeglass serve`: see [`serve::args::HELP`].

mod allocator;

use std::{io::Write, path::Path, process::ExitCode};

use serve::{Command, Options, Server, args};

fn main() -> ExitCode {
    let outcome = match args::parse(std::env::args_os().skip(1)) {
        Ok(Command::Help) => print(args::HELP),
        Ok(Command::Version) => print(concat!("kubeglass ", env!("CARGO_PKG_VERSION"), "\n")),
        Ok(Command::Serve(options)) => run(&options),
        Ok(Command::Trace(file, words)) => trace(&file, &words),
        Ok(Command::Doc(options)) => match serve::doc::run(&options, std::io::stdout().lock()) {
            Ok(true) => Ok(()),
            // What differs has been told.
            Ok(false) => return ExitCode::FAILURE,
            Err(error) => Err(error.into()),
        },
        Err(error) => Err(error.into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kubeglass: {error}");
            ExitCode::FAILURE
        }
    }
}

fn print(text: &str) -> Result<(), Box<dyn std::error::Error>> {
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

/// Prints a recording. Whoever takes no more of it, such as `head`, has had enough.
fn trace(file: &Path, words: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    match serve::print(file, words, std::io::BufWriter::new(std::io::stdout().lock())) {
        Err(serve::PrintError::Write(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        printed => Ok(printed?),
    }
}

fn run(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    allocator::give_back();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(async {
        let server = Server::bind(options).await?;
        let shutdown = shutdown()?;
        for warning in server.warnings() {
            eprintln!("kubeglass: token file, {warning}");
        }
        let who = match &options.token_file {
            Some(file) => format!("tokens from {}", file.display()),
            None if options.workshop.is_some() => "with the tokens of the workshop".to_owned(),
            None if options.anyone_is_admin => "no token needed, whoever reaches it is admin".to_owned(),
            None => "no token needed, everybody on this machine is admin".to_owned(),
        };
        eprintln!("kubeglass: listening on http://{} ({who}); Ctrl+C stops", server.address());
        if options.ui && options.workshop.is_none() {
            eprintln!("kubeglass: what clients do is shown at http://{}/ui/", server.address());
        }
        let invitations: String = server.invitations().iter().map(|one| format!("{one}\n")).collect();
        print(&invitations)?;
        if !server.run(shutdown).await {
            eprintln!("kubeglass: some requests were still being answered");
        }
        Ok(())
    });
    // Nothing that is still being computed is waited for.
    runtime.shutdown_background();
    outcome
}

/// Ready when the process is asked to stop.
#[cfg(unix)]
fn shutdown() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
    })
}

/// Ready when the process is asked to stop.
#[cfg(not(unix))]
fn shutdown() -> std::io::Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
