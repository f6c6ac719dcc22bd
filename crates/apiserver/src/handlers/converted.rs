//! The handlers that only objects need which a webhook converts: they are put where they are looked for by whoever has webhooks called,
//! and without that they are not part of the program.

use futures::FutureExt;

use super::list::plan::Plan;
use super::list::{CONVERTED, Page};
use super::watch::{STEPS, Steps};
use crate::context::{Reading, RequestContext};
use crate::options::ListOptions;
use crate::stored::object_key;
use apimachinery::selector::{FieldSelector, LabelSelector};
use apimachinery::status::Status;

/// Puts the handlers where they are looked for.
pub(crate) fn provide() {
    CONVERTED.get_or_init(|| |context, options, plan| page(context, options, plan).boxed());
    STEPS.get_or_init(|| &Steps::HERE);
}

/// Reads a page of objects that a webhook brings into the version of the request. Selectors are about what it makes of them.
async fn page(context: &RequestContext<'_>, options: &ListOptions, plan: &Plan) -> Result<Page, Box<Status>> {
    if options.labels.is_empty() && options.fields.is_empty() {
        let mut page = context.read_page(options, plan).await?;
        let items = std::mem::take(&mut page.items);
        let status = match context.show(items, Reading::List).await {
            Ok(items) => {
                page.items = items;
                return Ok(page);
            }
            Err(status) => status,
        };
        // Those that cannot be had do not count.
        let page = context.read_page(options, &plan.unlimited()).await?;
        context.show(page.items, Reading::List).await?;
        return Err(status);
    }
    let (labels, fields) = (LabelSelector::default(), FieldSelector::default());
    let all = ListOptions { labels, fields, ..options.clone() };
    let page = context.read_page(&all, &plan.unlimited()).await?;
    let items = context.show(page.items, Reading::List).await?;
    let resource = &context.target.resource;
    let keys: Vec<String> =
        items.iter().map(|item| object_key(resource, &item.namespace, &item.name)).collect();
    let items = keys.iter().map(String::as_str).zip(&items);
    let (page, pin) = plan.take(options, items, page.revision, None);
    context.pin(&mut context.shared.storage(), pin);
    Ok(page)
}
