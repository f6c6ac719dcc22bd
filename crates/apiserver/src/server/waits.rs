//! The steps of a request that wait for somebody: who knows its token, a seat, another API server. Only native hosts have them; in
//! WebAssembly they are over at once, and there is no code for them.

#[cfg(not(target_family = "wasm"))]
mod native {
    use bytes::Bytes;
    use http::Request;

    use crate::answer::Answer;
    use crate::auth;
    use crate::context::{ApiServer, RequestDigest, Seat};
    use crate::notes::Notes;
    use crate::resources::Resources;
    use apimachinery::User;

    impl ApiServer {
        /// Returns who sends a request, if only somebody else knows their token.
        pub(in crate::server) async fn recognized(&self, request: &Request<Bytes>) -> Option<User> {
            auth::recognize_sender(&self.shared, request).await
        }

        /// Waits until a request may be handled, where a host limits how many are.
        ///
        /// # Errors
        /// The response that says that there are too many.
        pub(in crate::server) async fn seat(
            &self,
            asked: RequestDigest<'_>,
            notes: &Notes,
        ) -> Result<Option<Seat>, Answer> {
            let Some(instruments) = self.shared.instruments.get() else { return Ok(None) };
            let seating = instruments.seat(&self.shared, asked, notes);
            seating.settled().await.map_err(Answer::too_many_requests)
        }

        /// Passes a request on to the aggregated API server that serves its path, if one does.
        pub(in crate::server) async fn forwarded(
            &self,
            asked: RequestDigest<'_>,
            resources: &Resources,
            notes: &Notes,
        ) -> Option<Answer> {
            let aggregator = self.shared.aggregator.get()?;
            let service = aggregator.find(resources, asked.request.uri().path())?;
            let request = (asked.request, asked.user.clone(), notes.audit_id.get());
            Some(aggregator.forward(self.shared.as_ref(), &service, request).await)
        }
    }
}

#[cfg(target_family = "wasm")]
mod none {
    use std::future::{Ready, ready};

    use bytes::Bytes;
    use http::Request;

    use crate::answer::Answer;
    use crate::context::{ApiServer, RequestDigest, Seat};
    use crate::notes::Notes;
    use crate::resources::Resources;
    use apimachinery::User;

    impl ApiServer {
        /// Returns nobody: nobody else knows any token.
        pub(in crate::server) fn recognized(&self, _: &Request<Bytes>) -> Ready<Option<User>> {
            ready(None)
        }

        /// Returns no seat: none is needed.
        pub(in crate::server) fn seat(
            &self,
            _: RequestDigest<'_>,
            _: &Notes,
        ) -> Ready<Result<Option<Seat>, Answer>> {
            ready(Ok(None))
        }

        /// Returns no response: there are no other API servers.
        pub(in crate::server) fn forwarded(
            &self,
            _: RequestDigest<'_>,
            _: &Resources,
            _: &Notes,
        ) -> Ready<Option<Answer>> {
            ready(None)
        }
    }
}
