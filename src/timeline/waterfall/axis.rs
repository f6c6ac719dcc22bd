//! The time that the waterfall shows, and where a moment stands in it.

/// The most time that is shown at first, in milliseconds.
const SPAN: f64 = 60_000.0;
/// The least.
const LEAST: f64 = 20.0;
/// How far the ticks are apart at least, in pixels.
const APART: f64 = 64.0;
/// How much is left free at the right, in pixels: as much as the arrow of an open stream needs.
const MARGIN: f64 = 10.0;

/// Which time is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Zoom {
    /// How much; `None` is all there is.
    span: Option<f64>,
    /// Up to when; `None` follows the newest.
    pub(crate) until: Option<f64>,
}

impl Default for Zoom {
    fn default() -> Self {
        Self { span: Some(SPAN), until: None }
    }
}

/// The time that is shown, and the pixels that there are for it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Scale {
    /// From when, in milliseconds of the page's clock.
    pub(crate) from: f64,
    /// Up to when.
    pub(crate) to: f64,
    /// How wide it is.
    pub(crate) width: f64,
}

impl Zoom {
    /// All there is.
    pub(crate) const FIT: Self = Self { span: None, until: None };

    /// Reports whether the whole time there is is shown.
    pub(crate) fn fits(self) -> bool {
        self.span.is_none()
    }

    /// The scale over what there is, which is from `first` to `last`.
    pub(crate) fn scale(self, first: f64, last: f64, width: f64) -> Scale {
        let all = (last - first).max(LEAST);
        let span = self.span.unwrap_or(all).min(all);
        // It moves in steps, so that bars whose requests are over need not be drawn anew all the time.
        let mut grain = 1.0;
        while grain * 16.0 <= span {
            grain *= 2.0;
        }
        let last = first + ((last - first) / grain).ceil() * grain;
        let all = (last - first).max(LEAST);
        let span = self.span.unwrap_or(all).min(all);
        let to = self.until.map_or(last, |until| until.min(last)).max(first + span);
        let margin = span * MARGIN / (width - MARGIN).max(40.0);
        Scale { from: to - span, to: to + margin, width }
    }

    /// Half the time, or twice as much.
    pub(crate) fn step(self, wider: bool, first: f64, last: f64) -> Self {
        let all = (last - first).max(LEAST);
        let span = self.span.unwrap_or(all).min(all) * if wider { 0.5 } else { 2.0 };
        if span >= all { Self::FIT } else { Self { span: Some(span.max(LEAST)), until: self.until } }
    }

    /// The time around `at` if it is not shown.
    pub(crate) fn reveal(self, at: f64, first: f64, last: f64) -> Self {
        let Scale { from, to, .. } = self.scale(first, last, 1000.0);
        let Some(span) = self.span.filter(|_| at < from || at > to) else { return self };
        let until = at + span * 0.8;
        Self { until: (until < last).then_some(until), ..self }
    }
}

impl Scale {
    /// Returns the x coordinate of a moment.
    pub(crate) fn x(&self, at: f64) -> f64 {
        (at - self.from) * self.width / (self.to - self.from).max(1.0)
    }

    /// The moments that are named, in whole milliseconds, and how far they are apart.
    pub(crate) fn ticks(&self) -> (Vec<u64>, u64) {
        let most = (self.width / APART).max(1.0);
        let least = (self.to - self.from) / most;
        let mut step = 1;
        let mut factors = [2, 5, 10].iter().cycle();
        let mut base = 1;
        while (step as f64) < least {
            match factors.next() {
                Some(10) => (base, step) = (base * 10, base * 10),
                Some(factor) => step = base * factor,
                None => break,
            }
        }
        let first = (self.from.max(0.0) as u64).div_ceil(step);
        let last = self.to.max(0.0) as u64 / step;
        ((first..=last).map(|number| number * step).take(64).collect(), step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_all_there_is_until_that_is_too_much() {
        let scale = |zoom: Zoom, last| {
            let Scale { from, to, .. } = zoom.scale(100.0, last, 500.0);
            (from as i64, to as i64)
        };
        assert_eq!(scale(Zoom::default(), 1100.0), (100, 1144));
        assert_eq!(scale(Zoom::default(), 100_100.0), (42_500, 103_724));
        assert_eq!(scale(Zoom::FIT, 100_100.0), (100, 108_769));
        assert_eq!(scale(Zoom::FIT, 100.0), (100, 120));
    }

    #[test]
    fn zooms_until_everything_is_shown() {
        let closer = Zoom::FIT.step(true, 0.0, 1000.0);
        assert_eq!(closer.scale(0.0, 1000.0, 1.0).from, 524.0);
        assert!(closer.step(false, 0.0, 1000.0).fits());
        let mut closest = closer;
        for _ in 0..50 {
            closest = closest.step(true, 0.0, 1000.0);
        }
        assert_eq!(closest.scale(0.0, 1000.0, 1.0).from, 1000.0 - LEAST);
    }

    #[test]
    fn reveals_what_is_not_shown() {
        let zoom = Zoom { span: Some(100.0), until: None };
        assert_eq!(zoom.reveal(950.0, 0.0, 1000.0), zoom);
        let revealed = zoom.reveal(300.0, 0.0, 1000.0);
        assert_eq!(revealed.until, Some(380.0));
        assert_eq!(revealed.reveal(1000.0, 0.0, 1000.0).until, None);
        assert_eq!(Zoom::FIT.reveal(300.0, 0.0, 1000.0), Zoom::FIT);
    }

    #[track_caller]
    fn check(from: f64, to: f64, width: f64, expected: &[u64], apart: u64) {
        assert_eq!(Scale { from, to, width }.ticks(), (expected.to_vec(), apart));
    }

    #[test]
    fn ticks_are_round() {
        check(0.0, 1000.0, 320.0, &[0, 200, 400, 600, 800, 1000], 200);
        check(950.0, 62_000.0, 320.0, &[20_000, 40_000, 60_000], 20_000);
        check(10.0, 18.0, 300.0, &[10, 12, 14, 16, 18], 2);
        check(0.0, 90.0, 0.0, &[0], 100);
    }

    #[test]
    fn moments_have_their_place() {
        let scale = Scale { from: 100.0, to: 300.0, width: 50.0 };
        assert_eq!([100.0, 200.0, 300.0, 0.0].map(|at| scale.x(at)), [0.0, 25.0, 50.0, -25.0]);
    }
}
