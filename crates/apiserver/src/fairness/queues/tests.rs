//! Queues as a model: requests come and are done by a clock of the test's own.

use super::*;

/// Queues, and the requests that are being handled in them.
struct Model {
    queues: Queues,
    now: Duration,
    tickets: u64,
    executing: VecDeque<(Option<usize>, u64, Duration)>,
    /// The flows of the requests in the order in which they began.
    began: Vec<usize>,
    places: Vec<(u64, usize)>,
}

impl Model {
    fn new(shape: Shape, limit: u64) -> Self {
        let mut queues = Queues::new(Duration::ZERO);
        queues.configure(Duration::ZERO, shape, limit);
        let (executing, began, places) = (VecDeque::new(), Vec::new(), Vec::new());
        Self { queues, now: Duration::ZERO, tickets: 0, executing, began, places }
    }

    /// Has a request of a flow come that takes seats. Returns whether it is taken in.
    fn come(&mut self, flow: usize, seats: u64) -> Result<(), &'static str> {
        self.tickets += 1;
        let hash = hand::hash("schema", &flow.to_string());
        let arrival = Arrival { ticket: self.tickets, flow, seats };
        let (outcome, begun) = self.queues.arrive(self.now, &arrival, || hash);
        let outcome = match outcome {
            Outcome::Begins => {
                self.executing.push_back((None, seats, self.now));
                self.began.push(flow);
                Ok(())
            }
            Outcome::Queued { queue, .. } => {
                self.places.push((self.tickets, queue));
                Ok(())
            }
            Outcome::Refused(why) => Err(why),
        };
        self.begin(begun);
        outcome
    }

    fn begin(&mut self, begun: Vec<Waiting>) {
        for waiting in begun {
            let place = self.places.iter().find(|(ticket, _)| *ticket == waiting.ticket).unwrap();
            self.executing.push_back((Some(place.1), waiting.seats, self.now));
            self.began.push(waiting.flow);
        }
    }

    /// Has the oldest request that is being handled be done after so many milliseconds.
    fn finish(&mut self, after: u64) {
        self.now += Duration::from_millis(after);
        let (queue, seats, began) = self.executing.pop_front().unwrap();
        let begun = self.queues.finish(self.now, queue, seats, began);
        self.begin(begun);
    }

    fn check_counts(&self) {
        let queues = self.queues.all();
        let waiting: usize = queues.iter().map(Queue::waiting).sum();
        let seats: u64 = self.executing.iter().map(|(_, seats, _)| seats).sum();
        assert_eq!(self.queues.waiting, waiting);
        assert_eq!(self.queues.executing, self.executing.len());
        assert_eq!(self.queues.seats, seats);
        assert_eq!(self.queues.seats_waiting, queues.iter().map(Queue::seats_waiting).sum::<u64>());
    }
}

const QUEUES: Shape = Shape::Queue { queues: 64, hand: 6, length: 50 };

#[test]
fn without_queues_whoever_finds_no_seat_is_refused() {
    let mut model = Model::new(Shape::Reject, 2);
    assert_eq!([1, 1, 1].map(|seats| model.come(0, seats)), [Ok(()), Ok(()), Err("concurrency-limit")]);
    model.finish(1);
    // A request that takes more seats than there are is handled alone.
    assert_eq!(model.come(0, 5), Err("concurrency-limit"));
    model.finish(1);
    assert_eq!(model.come(0, 5), Ok(()));
    let mut model = Model::new(Shape::Exempt, 0);
    assert!((0..100).all(|_| model.come(0, 10) == Ok(())));
}

#[test]
fn a_queue_takes_as_many_as_its_length_is() {
    let mut model = Model::new(Shape::Queue { queues: 1, hand: 1, length: 3 }, 1);
    let outcomes: Vec<_> = (0..5).map(|_| model.come(0, 1)).collect();
    assert_eq!(outcomes, [Ok(()), Ok(()), Ok(()), Ok(()), Err("queue-full")]);
    model.finish(1);
    assert_eq!(model.come(0, 1), Ok(()));
    assert_eq!(model.began.len(), 2);
}

#[test]
fn a_flow_that_sends_much_waits_for_itself() {
    let mut model = Model::new(QUEUES, 4);
    (0..100).for_each(|_| model.come(1, 1).unwrap());
    (0..10).for_each(|_| model.come(2, 1).unwrap());
    model.check_counts();
    for _ in 0..40 {
        model.finish(3);
    }
    model.check_counts();
    // The second one has had all of its requests begin before half of those of the first did.
    let second = model.began.iter().filter(|flow| **flow == 2).count();
    assert_eq!(second, 10, "{:?}", model.began);
}

#[test]
fn who_leaves_is_passed_over() {
    let mut model = Model::new(QUEUES, 1);
    (0..3).for_each(|_| model.come(1, 1).unwrap());
    let (ticket, queue) = model.places[1];
    assert!(model.queues.leave(model.now, queue, ticket).is_some());
    assert!(model.queues.leave(model.now, queue, ticket).is_none());
    model.finish(1);
    model.finish(1);
    model.check_counts();
    assert!(model.queues.is_idle());
    assert_eq!(model.began.len(), 2);
}

#[test]
fn a_level_gets_another_shape_while_requests_wait() {
    let mut model = Model::new(QUEUES, 1);
    (0..20).for_each(|flow| model.come(flow, 1).unwrap());
    // The queues that are too many are worked on to their end, and are gone then.
    let begun = model.queues.configure(model.now, Shape::Queue { queues: 2, hand: 1, length: 5 }, 3);
    model.begin(begun);
    assert_eq!(model.executing.len(), 3);
    while !model.executing.is_empty() {
        model.finish(2);
        model.check_counts();
    }
    assert_eq!(model.began.len(), 20);
    assert_eq!(model.queues.all().len(), 2);
}
