//! JSON that reads one way: each key once, whole numbers, no half surrogates; and its canonical form (RFC
//! 8785 §3). serde_json is not used here: features that another crate turns on would change what it accepts.

use std::collections::BTreeMap;

const NESTING_MAX: usize = 32;
const NUMBER_MAX: i64 = (1 << 53) - 1;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(i64),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    /// None: not JSON that reads one way.
    pub(super) fn read(data: &[u8]) -> Option<Self> {
        let mut reader = Reader { text: std::str::from_utf8(data).ok()?, at: 0 };
        let value = reader.value(0)?;
        reader.space();
        (reader.at == data.len()).then_some(value)
    }

    /// None: not the canonical form of its own value.
    pub(super) fn read_canonical(data: &[u8]) -> Option<Self> {
        Self::read(data).filter(|value| value.has_plain_keys() && value.canonical().as_bytes() == data)
    }

    /// Keys are ASCII, so that their order by bytes is that of RFC 8785 §3.2.3.
    fn has_plain_keys(&self) -> bool {
        match self {
            Self::List(items) => items.iter().all(Self::has_plain_keys),
            Self::Object(members) => {
                members.iter().all(|(name, value)| name.is_ascii() && value.has_plain_keys())
            }
            _ => true,
        }
    }

    pub(super) fn canonical(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(number) => out.push_str(&number.to_string()),
            Self::Text(text) => write_text(text, out),
            Self::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (at, (name, value)) in members.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    write_text(name, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

/// RFC 8785 §3.2.2.2
fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for each in text.chars() {
        match each {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => out.push(other),
        }
    }
    out.push('"');
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn need(&mut self, wanted: &str) -> Option<()> {
        self.text.as_bytes()[self.at..].starts_with(wanted.as_bytes()).then(|| self.at += wanted.len())
    }

    fn skip(&mut self, wanted: u8) -> Option<bool> {
        self.space();
        let found = self.peek()? == wanted;
        self.at += usize::from(found);
        Some(found)
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        if depth > NESTING_MAX {
            return None;
        }
        self.space();
        match self.peek()? {
            b'{' => self.object(depth),
            b'[' => self.list(depth),
            b'"' => self.string().map(Json::Text),
            b't' => self.need("true").map(|()| Json::Bool(true)),
            b'f' => self.need("false").map(|()| Json::Bool(false)),
            b'n' => self.need("null").map(|()| Json::Null),
            _ => self.number(),
        }
    }

    /// A whole number in its one spelling.
    fn number(&mut self) -> Option<Json> {
        let start = self.at;
        while self.peek().is_some_and(|byte| b"-+.eE0123456789".contains(&byte)) {
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        let number: i64 = text.parse().ok()?;
        let is_plain = number.to_string() == text && (-NUMBER_MAX..=NUMBER_MAX).contains(&number);
        is_plain.then_some(Json::Number(number))
    }

    fn list(&mut self, depth: usize) -> Option<Json> {
        self.at += 1;
        let mut items = Vec::new();
        if self.skip(b']')? {
            return Some(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.skip(b']')? {
                return Some(Json::List(items));
            }
            self.need(",")?;
        }
    }

    fn object(&mut self, depth: usize) -> Option<Json> {
        self.at += 1;
        let mut members = BTreeMap::new();
        if self.skip(b'}')? {
            return Some(Json::Object(members));
        }
        loop {
            self.space();
            let name = self.string()?;
            self.space();
            self.need(":")?;
            let value = self.value(depth + 1)?;
            if members.insert(name, value).is_some() {
                return None;
            }
            if self.skip(b'}')? {
                return Some(Json::Object(members));
            }
            self.need(",")?;
        }
    }

    fn string(&mut self) -> Option<String> {
        self.need("\"")?;
        let mut out = String::new();
        loop {
            let each = self.text[self.at..].chars().next()?;
            self.at += each.len_utf8();
            match each {
                '"' => return Some(out),
                '\\' => out.push(self.escape()?),
                control if control < ' ' => return None,
                other => out.push(other),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let kind = self.peek()?;
        self.at += 1;
        Some(match kind {
            b'"' | b'\\' | b'/' => char::from(kind),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.unit()?;
                let mut units = vec![unit];
                if (0xd800..0xdc00).contains(&unit) {
                    self.need("\\u")?;
                    units.push(self.unit()?);
                }
                char::decode_utf16(units).next()?.ok()?
            }
            _ => return None,
        })
    }

    fn unit(&mut self) -> Option<u16> {
        let digits = self.text.get(self.at..self.at + 4)?;
        self.at += 4;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        u16::from_str_radix(digits, 16).ok().filter(|_| is_hex)
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn json_reads_one_way() {
        let good = ["{\"a\":[1,-2,true,null,\"\\u00e9\\ud83d\\ude00\"]}", " [ ] ", "0", "\"\""];
        for text in good {
            assert!(Json::read(text.as_bytes()).is_some(), "{text}");
        }
        let bad = [
            "",
            "{",
            "[1,]",
            "{\"a\":1,\"a\":1}",
            "1.0",
            "1e2",
            "-0",
            "01",
            "9007199254740992",
            "\"\\ud800\"",
            "\"\\udc00\"",
            "\"\\u+123\"",
            "\"a\nb\"",
            "[] []",
            "nul",
            "\u{feff}1",
            "\"\\x\"",
        ];
        for text in bad {
            assert!(Json::read(text.as_bytes()).is_none(), "{text}");
        }
        assert!(Json::read(b"\"\xff\"").is_none());
        let deep = |depth: usize| [vec![b'['; depth], vec![b']'; depth]].concat();
        assert!(Json::read(&deep(33)).is_some() && Json::read(&deep(34)).is_none());
        assert!(Json::read(&deep(100_000)).is_none());
    }

    #[test]
    fn the_canonical_form_is_one() {
        let canonical = "{\"a\":\"\\b\\f\\n\\r\\t\\u0001\\\"\\\\/é\u{7f}\",\"b\":[1,{}]}";
        assert!(Json::read_canonical(canonical.as_bytes()).is_some());
        for text in ["{\"b\":1,\"a\":1}", "{ }", "\"\\u00e9\"", "\"\\/\"", "\"\\u001F\"", "{\"é\":1}"] {
            assert!(Json::read(text.as_bytes()).is_some(), "{text}");
            assert!(Json::read_canonical(text.as_bytes()).is_none(), "{text}");
        }
    }
}
