//! Nothing that prints shows a key, a secret or a body.

use crate::support::{answer, client, example, Step, KEY};
use acuse::types::{NewWebhook, Send, WebhookWithSecret};
use acuse::{LostKind, Options, Phase};

#[test]
fn no_way_of_printing_shows_a_secret() {
    let secret = "whsec_bXkgc2VjcmV0IG9mIHdlYmhvb2tz";
    let mut made = example("WebhookWithSecret");
    made["secret"] = secret.into();
    let (acuse, _) = client(vec![Step::Lose(LostKind::Tls, Phase::Tls), answer(201, &made)]);
    let send = Send::new("a@sandbox.test", "b@sandbox.test").text("a body of mine");
    let error = acuse.messages().send(&send, "invoice-1").unwrap_err();
    let hook = NewWebhook::new("https://example.com", Vec::<&str>::new());
    let made = acuse.webhooks().create(&hook).unwrap();
    assert_eq!(made.secret.reveal(), secret);
    let texts = [
        format!("{acuse:?} {:#?}", acuse.messages().list().subject("a body of mine")),
        format!("{:?}", Options::new().api_key(KEY)),
        format!("{send:?} {send:#?}"),
        format!("{error} {error:?} {error:#?}"),
        format!("{made:?} {:?} {}", made.headers(), made.secret),
    ];
    for text in texts {
        assert!(!text.contains("canary"), "{text}");
        assert!(!text.contains("a body of mine"), "{text}");
        assert!(!text.contains(secret), "{text}");
    }
    assert!(format!("{acuse:?}").contains("acuse_0193abcd_***"));
    let back = serde_json::to_value(made.into_inner()).unwrap();
    assert_eq!(serde_json::from_value::<WebhookWithSecret>(back).unwrap().secret.reveal(), secret);
}
