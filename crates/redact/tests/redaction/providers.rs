//! The keys of every provider that Pi knows.

use pitree_host::auth::{providers, variables};
use pitree_redact::Context;

use crate::tables::check_texts;

/// How the keys of a provider look in a text. Those without a form of their own are found by the
/// name before them.
const FORMS: &[(&str, &[&str])] = &[
    ("anthropic", &["a «sk-ant-api03-{a93}AA» b", "a «sk-ant-oat01-{a93}AA» b"]),
    ("ant-ling", &["ANT_LING_API_KEY=«{a32}»"]),
    ("azure", &["azure_openai_key: «{h32}»", "AZURE_OPENAI_API_KEY=«{a84}»"]),
    ("baseten", &["baseten key: «{a8}.{a32}»"]),
    ("cerebras", &["a «csk-{l48}» b"]),
    ("cloudflare-ai-gateway", &["cloudflare_api_key: «{h37}»"]),
    ("cloudflare-workers-ai", &["cloudflare_api_token: «{a40}»"]),
    ("deepseek", &["a «sk-{h32}» b"]),
    ("fireworks", &["a «fw_{a24}» b"]),
    ("github-copilot", &["a «ghu_{a36}» b", "a «tid={h32};exp=1700000000;sku=free;8kp=1:{h64}» b"]),
    ("google", &["a «AIza{a35}» b", "a «AQ.Ab8RN6{a44}» b"]),
    ("google-vertex", &["a «AIza{a35}» b", "a «ya29.{a120}» b"]),
    ("groq", &["a «gsk_{a52}» b"]),
    ("huggingface", &["a «hf_{a34}» b"]),
    ("kimi-coding", &["a «sk-kimi-{a72}» b"]),
    ("meta", &["a «LLM|{d16}|{a27}» b"]),
    (
        "minimax",
        &["a «sk-cp-{a100}» b", "a «sk-api-{a100}» b", "a «eyJhbGciOiJIUzI1NiJ9.eyJ{a40}.{a43}» b"],
    ),
    ("minimax-cn", &["a «sk-cp-{a100}» b"]),
    ("mistral", &["mistral_api_key = «{a32}»"]),
    ("moonshotai", &["a «sk-{a48}» b"]),
    ("moonshotai-cn", &["a «sk-{a48}» b"]),
    ("nvidia", &["a «nvapi-{a64}» b"]),
    (
        "openai",
        &["a «sk-proj-{a74}T3BlbkFJ{a74}» b", "a «sk-{a48}» b", "a «sk-{a20}_{a20}-{a10}» b"],
    ),
    ("opencode", &["a «sk-{a64}» b"]),
    ("opencode-go", &["a «sk-{a64}» b"]),
    ("openrouter", &["a «sk-or-v1-{h64}» b"]),
    ("qwen-token-plan", &["a «sk-sp-{a32}» b", "a «sk-{h32}» b"]),
    ("qwen-token-plan-cn", &["a «sk-sp-{a32}» b"]),
    ("qwen-token-plan-individual", &["a «sk-sp-{a32}» b"]),
    ("radius", &["RADIUS_API_KEY=«{a32}»"]),
    ("together", &["a «tgp_v1_{a43}» b", "together_api_key: «{h64}»"]),
    ("typesafe", &["TYPESAFE_API_KEY=«{a32}»"]),
    ("vercel-ai-gateway", &["a «vck_{a56}» b"]),
    ("xai", &["a «xai-{a80}» b"]),
    ("xiaomi", &["a «sk-{a48}» b", "xiaomi_api_key: «{a48}»"]),
    ("xiaomi-token-plan-ams", &["mimo_key: «tp-{a48}»"]),
    ("xiaomi-token-plan-cn", &["mimo_key: «tp-{a48}»"]),
    ("xiaomi-token-plan-sgp", &["mimo_key: «tp-{a48}»"]),
    ("zai", &["my key «{h32}.{a16}» b", "zai: «{h32}.{a16}»", "glm_key=«{h32}.{a16}»"]),
    ("zai-coding-cn", &["zhipu: «{h32}.{a16}»"]),
];

#[test]
fn every_provider_of_pi_has_a_form() {
    let known: Vec<&str> = FORMS.iter().map(|(provider, _)| *provider).collect();
    let missing: Vec<&str> = providers().filter(|provider| !known.contains(provider)).collect();
    assert!(missing.is_empty(), "no form of a key is known for {missing:?}");
    for (_, texts) in FORMS {
        assert!(!texts.is_empty());
        check_texts(Context::Text, texts);
    }
}

#[test]
fn the_variables_of_every_provider_are_known() {
    for name in providers().flat_map(variables) {
        let texts = [format!("{name}=«{{a32}}»"), format!("export {name}='«{{a32}}»'")];
        check_texts(Context::Text, &texts.each_ref().map(String::as_str));
    }
}
