//! The names of classes of characters that regular expressions know: `\p{Lu}`, `\p{Greek}`.
//!
//! See <https://github.com/google/re2/wiki/Syntax>.

/// General categories, and what else `\p` knows beside scripts.
const CATEGORIES: &str = "any assigned ascii c cc cf cn co cs l lc ll lm lo lt lu m mc me mn n nd nl no p pc pd pe pf pi \
    po ps s sc sk sm so z zl zp zs";

/// The long names of the categories.
const ALIASES: &str = "casedletter closepunctuation cntrl combiningmark connectorpunctuation control currencysymbol \
    dashpunctuation decimalnumber digit enclosingmark finalpunctuation format initialpunctuation letter letternumber \
    lineseparator lowercaseletter mark mathsymbol modifierletter modifiersymbol nonspacingmark number openpunctuation other \
    otherletter othernumber otherpunctuation othersymbol paragraphseparator privateuse punct punctuation separator \
    spaceseparator spacingmark surrogate symbol titlecaseletter unassigned uppercaseletter";

/// Scripts.
const SCRIPTS: &str = "adlam ahom anatolianhieroglyphs arabic armenian avestan balinese bamum bassavah batak bengali \
    bhaiksuki bopomofo brahmi braille buginese buhid canadianaboriginal carian caucasianalbanian chakma cham cherokee \
    chorasmian common coptic cuneiform cypriot cyprominoan cyrillic deseret devanagari divesakuru dogra duployan \
    egyptianhieroglyphs elbasan elymaic ethiopic garay georgian glagolitic gothic grantha greek gujarati gunjalagondi \
    gurmukhi gurungkhema han hangul hanifirohingya hanunoo hatran hebrew hiragana imperialaramaic inherited \
    inscriptionalpahlavi inscriptionalparthian javanese kaithi kannada katakana kawi kayahli kharoshthi khitansmallscript \
    khmer khojki khudawadi kiratrai lao latin lepcha limbu lineara linearb lisu lycian lydian mahajani makasar malayalam \
    mandaic manichaean marchen masaramgondi medefaidrin meeteimayek mendekikakui meroiticcursive meroitichieroglyphs miao \
    modi mongolian mro multani myanmar nabataean nagmundari nandinagari newa newtailue nko nushu nyiakengpuachuehmong ogham \
    olchiki oldhungarian olditalic oldnortharabian oldpermic oldpersian oldsogdian oldsoutharabian oldturkic olduyghur \
    olonal oriya osage osmanya pahawhhmong palmyrene paucinhau phagspa phoenician psalterpahlavi rejang runic samaritan \
    saurashtra sharada shavian siddham signwriting sinhala sogdian sorasompeng soyombo sundanese sunuwar sylotinagri syriac \
    tagalog tagbanwa taile taitham taiviet takri tamil tangsa tangut telugu thaana thai tibetan tifinagh tirhuta todhri toto \
    tulutigalari ugaritic vai vithkuqi wancho warangciti yezidi yi zanabazarsquare";

/// Reports whether there is a class of that name. Capitals, spaces, dashes and underscores do not matter.
pub(super) fn is_class(name: &str) -> bool {
    let name: String =
        name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).map(|c| c.to_ascii_lowercase()).collect();
    [CATEGORIES, ALIASES, SCRIPTS].iter().any(|names| names.split(' ').any(|known| known == name))
}
