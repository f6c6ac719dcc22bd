//! `kubeglass serve`: see [`serve::args::HELP`].

mod allocator;

use std::{io::Write, path::Path, process::ExitCode};

use serve::etcd::Etcd;
use serve::log::Severity;
use serve::{Command, Options, Server, args, envtest};

fn main() -> ExitCode {
    let outcome = match args::parse_all(std::env::args_os()) {
        Ok(Command::Help) => print(args::HELP),
        Ok(Command::Version) => print(concat!("kubeglass ", env!("CARGO_PKG_VERSION"), "\n")),
        Ok(Command::Flags(text)) => print(&text),
        Ok(Command::Serve(options)) => run(&options),
        Ok(Command::KubeApiserver(options, notes)) => {
            notes.iter().for_each(|note| options.logging.say(Severity::Warning, note));
            run(&options)
        }
        Ok(Command::Etcd(addresses)) => run_etcd(&addresses),
        Ok(Command::Install(folder)) => install(&folder),
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
        let log = options.logging;
        let server = Server::bind(options).await?;
        let shutdown = shutdown()?;
        for warning in server.warnings() {
            log.say(Severity::Warning, warning);
        }
        let url = [options.scheme(), "://", &server.address().to_string()].concat();
        log.say(Severity::Info, &format!("listening on {url} ({}); Ctrl+C stops", who_gets_in(options)));
        let by_token = options.token_file.is_some() || options.workshop.is_some();
        if by_token && !options.speaks_tls() {
            let why = "kubectl and other clients send no token over http://; --tls speaks https://";
            log.say(Severity::Warning, why);
        }
        if options.ui && options.workshop.is_none() {
            log.say(Severity::Info, &format!("what clients do is shown at {url}/ui/"));
        }
        if let Some(path) = &options.kubeconfig {
            print(&format!(
                "export KUBECONFIG={}\n",
                shell_word(&std::path::absolute(path)?.display().to_string())
            ))?;
        }
        let invitations: String = server.invitations().iter().map(|one| format!("{one}\n")).collect();
        print(&invitations)?;
        if !server.run(shutdown).await {
            log.say(Severity::Warning, "some requests were still being answered");
        }
        Ok(())
    });
    // Nothing that is still being computed is waited for.
    runtime.shutdown_background();
    outcome
}

/// Is there as `etcd`, until the process is asked to stop.
fn run_etcd(addresses: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let etcd = Etcd::bind(addresses).await?;
        etcd.run(shutdown()?).await;
        Ok(())
    })
}

/// Puts the programs for envtest into a folder, and says how to use them.
fn install(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    envtest::install(&std::env::current_exe()?, folder)?;
    let folder = std::path::absolute(folder)?;
    print(&format!("export KUBEBUILDER_ASSETS={}\n", shell_word(&folder.display().to_string())))
}

/// Says who may use a server.
fn who_gets_in(options: &Options) -> String {
    let ways = [
        options.token_file.as_ref().map(|file| format!("tokens from {}", file.display())),
        options.workshop.as_ref().map(|_| "the tokens of the workshop".to_owned()),
        options.client_ca_file.as_ref().map(|file| format!("certificates of {}", file.display())),
        options.kubeconfig.as_ref().map(|file| format!("the certificate in {}", file.display())),
    ];
    let ways: Vec<String> = ways.into_iter().flatten().collect();
    match (options.authenticates(), options.anyone_is_admin) {
        (true, _) if ways.is_empty() => "nobody but system:anonymous".to_owned(),
        (true, _) => ways.join(", "),
        (false, true) => "nothing needed, whoever reaches it is admin".to_owned(),
        (false, false) => "nothing needed, everybody on this machine is admin".to_owned(),
    }
}

/// Writes a text as one word for a shell.
fn shell_word(text: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "/._-".contains(char);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
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
