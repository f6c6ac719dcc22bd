//! The chunks that the module is split into: what only such a function leads to is in a module of its own, which is
//! loaded when the function is first called.

// The macro declares what the module imports.
#![allow(unsafe_code)]

use apiserver::code::{self, Chunk};
use futures::future::LocalBoxFuture;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

/// Loads a chunk.
pub(crate) fn load(chunk: Chunk) -> LocalBoxFuture<'static, Result<(), String>> {
    Box::pin(async move {
        let loaded = match chunk {
            Chunk::Writes => writes().await,
            Chunk::Workloads => workloads().await,
            Chunk::Validation => validation().await,
            Chunk::Expressions => expressions().await,
            Chunk::MediaTypes => media_types().await,
            Chunk::Tables => tables().await,
            Chunk::Discovery => discovery().await,
            Chunk::OpenApi => openapi().await,
            Chunk::Webhooks => webhooks().await,
            Chunk::Documents => documents().await,
        };
        loaded.map_err(|error| error.to_string())
    })
}

/// Loads the code of controllers.
pub(crate) fn load_controllers() -> LocalBoxFuture<'static, Result<(), String>> {
    Box::pin(async { controllers().await.map_err(|error| error.to_string()) })
}

#[wasm_split(controllers, fallible)]
fn controllers() -> Result<(), SplitLoaderError> {
    engine::controllers::provide();
    Ok(())
}

#[wasm_split(writes, fallible)]
fn writes() -> Result<(), SplitLoaderError> {
    code::provide_writes();
    Ok(())
}

#[wasm_split(workloads, fallible)]
fn workloads() -> Result<(), SplitLoaderError> {
    code::provide_workloads();
    Ok(())
}

#[wasm_split(validation, fallible)]
fn validation() -> Result<(), SplitLoaderError> {
    code::provide_validation();
    Ok(())
}

#[wasm_split(expressions, fallible)]
fn expressions() -> Result<(), SplitLoaderError> {
    code::provide_expressions();
    Ok(())
}

#[wasm_split(media_types, fallible)]
fn media_types() -> Result<(), SplitLoaderError> {
    code::provide_media_types();
    Ok(())
}

#[wasm_split(tables, fallible)]
fn tables() -> Result<(), SplitLoaderError> {
    code::provide_tables();
    Ok(())
}

#[wasm_split(discovery, fallible)]
fn discovery() -> Result<(), SplitLoaderError> {
    code::provide_discovery();
    Ok(())
}

#[wasm_split(openapi, fallible)]
fn openapi() -> Result<(), SplitLoaderError> {
    code::provide_openapi();
    Ok(())
}

#[wasm_split(webhooks, fallible)]
fn webhooks() -> Result<(), SplitLoaderError> {
    code::provide_webhooks();
    Ok(())
}

#[wasm_split(documents, fallible)]
fn documents() -> Result<(), SplitLoaderError> {
    code::provide_documents();
    Ok(())
}
