// Written by scripts/catalogue.mjs from the model data of @earendil-works/pi-ai 0.87.1 (MIT, Mario Zechner), published on
// 2026-09-22. A line: provider, model, window and longest answer in tokens, levels of thinking (a bit each of off, the word none for it,
// minimal, low, medium, high, xhigh and max, in base 36; 0 does not think), + sees images, price of a million tokens in dollars (input,
// output, cache read, cache write; zeros at the end are left out), and, after a > and that many tokens, that of longer prompts.

/** When the data was published. */
export const CATALOGUE_DATE = "2026-09-22";

/** The rows, one a line, as one text: nothing is built of it before a model is looked up. */
export const CATALOGUE = `
anthropic claude-fable-5 1000000 128000 6w+ 10 50 1 12.5
anthropic claude-fable-5-1 1000000 128000 6w+ 10 50 0.25 12.5
anthropic claude-haiku-4-5 200000 64000 1l+ 1 5 0.1 1.25
anthropic claude-haiku-4-5-20251001 200000 64000 1l+ 1 5 0.1 1.25
anthropic claude-opus-4-5 200000 64000 1l+ 5 25 0.5 6.25
anthropic claude-opus-4-5-20251101 200000 64000 1l+ 5 25 0.5 6.25
anthropic claude-opus-4-6 1000000 128000 55+ 5 25 0.5 6.25
anthropic claude-opus-4-7 1000000 128000 6x+ 5 25 0.5 6.25
anthropic claude-opus-4-8 1000000 128000 6x+ 5 25 0.5 6.25
anthropic claude-opus-5 1000000 128000 6w+ 5 25 0.5 6.25
anthropic claude-opus-5-5 1000000 128000 6w+ 4 20 0.2 5
anthropic claude-sonnet-4-5 1000000 64000 1l+ 3 15 0.3 3.75
anthropic claude-sonnet-4-5-20250929 1000000 64000 1l+ 3 15 0.3 3.75
anthropic claude-sonnet-4-6 1000000 128000 55+ 3 15 0.3 3.75
anthropic claude-sonnet-5 1000000 128000 6x+ 2 10 0.2 2.5
cerebras gpt-oss-120b 131072 40960 1k 0.35 0.75
cerebras qwen-3.8-27b 65536 32768 1n+ 0.99 1.49
deepseek deepseek-flash 1000000 384000 4p+ 0.3 1.2 0.006
deepseek deepseek-v4-pro 1000000 384000 4h 1.32 3.96 0.044
google deep-research-max-preview-04-2026 131072 65536 1l+ 2 12 0.2
google deep-research-preview-04-2026 131072 65536 1l+ 2 12 0.2
google gemini-2.5-computer-use-preview-10-2025 131072 65536 1l+ 1.25 10
google gemini-2.5-flash 1048576 65536 1l+ 0.3 2.5 0.03
google gemini-2.5-flash-lite 1048576 65536 1l+ 0.1 0.4 0.01
google gemini-2.5-pro 1048576 65536 1l+ 1.25 10 0.125
google gemini-3-flash-preview 1048576 65536 1o+ 0.5 3 0.05
google gemini-3.1-flash-lite 1048576 65536 1o+ 0.25 1.5 0.025
google gemini-3.1-flash-lite-image 65536 65536 10+ 0.25 30
google gemini-3.1-flash-lite-preview 1048576 65536 1o+ 0.25 1.5 0.025
google gemini-3.1-flash-live-preview 131072 65536 1o+ 0.75 4.5
google gemini-3.1-pro-preview 1048576 65536 1k+ 2 12 0.2
google gemini-3.1-pro-preview-customtools 1048576 65536 1k+ 2 12 0.2
google gemini-3.5-flash 1048576 65536 1o+ 1.5 9 0.15
google gemini-3.5-flash-lite 1048576 65536 1o+ 0.3 2.5 0.03
google gemini-3.6-flash 1048576 65536 1o+ 0.75 3.75 0.075
google gemini-3.7-flash 1048576 65536 1k+ 0.75 3.75 0.075
google gemini-3.8-flash 1048576 65536 1k+ 0.75 3.75 0.075
google gemini-flash-latest 1048576 65536 1o+ 1.5 9 0.15
google gemini-flash-lite-latest 1048576 65536 1o+ 0.25 1.5 0.025
google gemma-4-26b-a4b-it 262144 32768 10+
google gemma-4-31b-it 262144 32768 10+
groq llama-3.1-8b-instant 131072 131072 0 0.05 0.08
groq llama-3.3-70b-versatile 131072 32768 0 0.59 0.79
groq openai/gpt-oss-120b 131072 65536 1k 0.15 0.6 0.075
groq openai/gpt-oss-20b 131072 65536 1k 0.075 0.3 0.0375
groq openai/gpt-oss-safeguard-20b 131072 65536 1k 0.075 0.3
groq qwen/qwen3.6-27b 131072 16384 z+ 0.6 3 0.3
groq qwen/qwen3.8-27b 131042 16384 1n+ 0.8 4
minimax MiniMax-M2.7 204800 131072 1l 0.3 1.2 0.06 0.375
minimax MiniMax-M2.7-highspeed 204800 131072 1l 0.6 2.4 0.06 0.375
minimax MiniMax-M3 1048576 512000 1l+ 0.3 1.2 0.06
mistral codestral-latest 256000 4096 0 0.3 0.9 0.03
mistral devstral-2512 262144 262144 0 0.4 2 0.04
mistral devstral-latest 262144 262144 0 0.4 2 0.04
mistral devstral-medium-2507 128000 128000 0 0.4 2 0.04
mistral devstral-medium-latest 262144 262144 0 0.4 2 0.04
mistral devstral-small-2505 128000 128000 0 0.1 0.3 0.01
mistral devstral-small-2507 128000 128000 0 0.1 0.3 0.01
mistral labs-devstral-small-2512 256000 256000 0+
mistral magistral-medium-latest 128000 16384 1l 2 5 0.2
mistral magistral-small 128000 128000 1l 0.5 1.5 0.05
mistral ministral-3b-latest 128000 128000 0 0.04 0.04 0.004
mistral ministral-8b-latest 128000 128000 0 0.1 0.1 0.01
mistral mistral-large-2411 131072 16384 0 2 6 0.2
mistral mistral-large-2512 262144 262144 0+ 0.5 1.5 0.05
mistral mistral-large-latest 262144 262144 0+ 0.5 1.5 0.05
mistral mistral-medium-2505 131072 131072 0+ 0.4 2 0.04
mistral mistral-medium-2508 262144 262144 0+ 0.4 2 0.04
mistral mistral-medium-2604 262144 262144 1l+ 1.5 7.5 0.15
mistral mistral-medium-3.5 262144 262144 1l+ 1.5 7.5
mistral mistral-medium-latest 262144 262144 1l+ 1.5 7.5 0.15
mistral mistral-nemo 128000 128000 0 0.15 0.15 0.015
mistral mistral-small-2506 128000 16384 0+ 0.1 0.3 0.01
mistral mistral-small-2603 256000 256000 1l+ 0.15 0.6 0.015
mistral mistral-small-latest 256000 256000 1l+ 0.15 0.6 0.015
mistral open-mistral-7b 8000 8000 0 0.25 0.25 0.025
mistral open-mistral-nemo 128000 128000 0 0.15 0.15 0.015
mistral open-mixtral-8x22b 64000 64000 0 2 6 0.2
mistral open-mixtral-8x7b 32000 32000 0 0.7 0.7 0.07
mistral pixtral-12b 128000 128000 0+ 0.15 0.15 0.015
mistral pixtral-large-latest 128000 128000 0+ 2 6 0.2
mistral voxtral-small-latest 32000 32000 0 0.1 0.3 0.01
mistral zai-glm-5-2 1000000 131072 1l 1.4 4.4 0.14
mistral zai-glm-5-3 1000000 131072 1l 1.4 4.4 0.14
moonshot kimi-k2.6 262144 262144 1l+ 0.95 4 0.16
moonshot kimi-k2.7-code 262144 262144 1k+ 0.95 4 0.19
moonshot kimi-k2.7-code-highspeed 262144 262144 1k+ 1.9 8 0.38
moonshot kimi-k3 1048576 131072 4o+ 3 15 0.3
openai gpt-4 8192 8192 0 30 60
openai gpt-4-turbo 128000 4096 0+ 10 30
openai gpt-4.1 1047576 32768 0+ 2 8 0.5
openai gpt-4.1-mini 1047576 32768 0+ 0.4 1.6 0.1
openai gpt-4.1-nano 1047576 32768 0+ 0.1 0.4 0.025
openai gpt-4o 128000 16384 0+ 2.5 10 1.25
openai gpt-4o-2024-05-13 128000 4096 0+ 5 15
openai gpt-4o-2024-08-06 128000 16384 0+ 2.5 10 1.25
openai gpt-4o-2024-11-20 128000 16384 0+ 2.5 10 1.25
openai gpt-4o-mini 128000 16384 0+ 0.15 0.6 0.075
openai gpt-5 400000 128000 1o+ 1.25 10 0.125
openai gpt-5-chat-latest 128000 16384 0+ 1.25 10 0.125
openai gpt-5-mini 400000 128000 1o+ 0.25 2 0.025
openai gpt-5-nano 400000 128000 1o+ 0.05 0.4 0.005
openai gpt-5-pro 400000 128000 w+ 15 120
openai gpt-5.1 400000 128000 1n+ 1.25 10 0.125
openai gpt-5.2 400000 128000 3f+ 1.75 14 0.175
openai gpt-5.2-chat-latest 128000 16384 28+ 1.75 14 0.175
openai gpt-5.2-pro 400000 128000 34+ 21 168
openai gpt-5.3-chat-latest 128000 16384 0+ 1.75 14 0.175
openai gpt-5.3-codex 400000 128000 3f+ 1.75 14 0.175
openai gpt-5.3-codex-spark 128000 32000 3c+ 1.75 14 0.175
openai gpt-5.4 272000 128000 3f+ 2.5 15 0.25 >272000 5 22.5 0.5
openai gpt-5.4-mini 400000 128000 3f+ 0.75 4.5 0.075
openai gpt-5.4-nano 400000 128000 3f+ 0.2 1.25 0.02
openai gpt-5.4-pro 1050000 128000 34+ 30 180 >272000 60 270
openai gpt-5.5 272000 128000 3f+ 5 30 0.5 >272000 10 45 1
openai gpt-5.5-pro 1050000 128000 34+ 30 180 >272000 60 270
openai gpt-5.6-luna 272000 128000 6z+ 0.2 1.2 0.02 0.25 >272000 0.4 1.8 0.04 0.5
openai gpt-5.6-sol 272000 128000 6z+ 4 20 0.4 5 >272000 8 30 0.8 10
openai gpt-5.6-terra 272000 128000 6z+ 2 12 0.2 2.5 >272000 4 18 0.4 5
openai gpt-6-astra 272000 128000 6w+ 10 50 1 12.5 >272000 20 75 2 25
openai gpt-6-luna 272000 128000 6z+ 0.1 0.5 0.01 0.125 >272000 0.2 0.75 0.02 0.25
openai gpt-6-sol 272000 128000 6z+ 2 10 0.2 2.5 >272000 4 15 0.4 5
openai gpt-realtime-2.1 128000 32000 3g+ 4 24 0.4
openai o1 200000 100000 1k+ 15 60 7.5
openai o1-pro 200000 100000 1k+ 150 600
openai o3 200000 100000 1k+ 2 8 0.5
openai o3-mini 200000 100000 1k 1.1 4.4 0.55
openai o3-pro 200000 100000 1k+ 20 80
openai o4-mini 200000 100000 1k+ 1.1 4.4 0.275
openrouter aion-labs/aion-2.0 1048576 32768 1k 0.8 1.6 0.2
openrouter aion-labs/aion-3.0 1048576 32768 1k 3 6 0.75
openrouter aion-labs/aion-3.0-mini 1048576 32768 1k 0.7 1.4 0.18
openrouter amazon/nova-2-lite-v1 1000000 65535 1l+ 0.3 2.5
openrouter amazon/nova-lite-v1 300000 5120 0+ 0.06 0.24
openrouter amazon/nova-micro-v1 128000 5120 0 0.035 0.14
openrouter amazon/nova-premier-v1 1000000 32000 0+ 2.5 12.5 0.625
openrouter amazon/nova-pro-v1 300000 5120 0+ 0.8 3.2
openrouter anthropic/claude-3-haiku 200000 4096 0+ 0.25 1.25 0.03 0.3
openrouter anthropic/claude-fable-5 1000000 128000 6w+ 10 50 1 12.5
openrouter anthropic/claude-fable-5.1 1000000 128000 6w+ 10 50 0.25 12.5
openrouter anthropic/claude-haiku-4.5 200000 64000 1l+ 1 5 0.1 1.25
openrouter anthropic/claude-opus-4.1 200000 32000 1l+ 15 75 1.5 18.75
openrouter anthropic/claude-opus-4.5 200000 64000 1l+ 5 25 0.5 6.25
openrouter anthropic/claude-opus-4.6 1000000 128000 57+ 5 25 0.5 6.25
openrouter anthropic/claude-opus-4.7 1000000 128000 6z+ 5 25 0.5 6.25
openrouter anthropic/claude-opus-4.8 1000000 128000 6z+ 5 25 0.5 6.25
openrouter anthropic/claude-opus-5 1000000 128000 6z+ 5 25 0.5 6.25
openrouter anthropic/claude-opus-5.5 1000000 128000 6w+ 4 20 0.2 5
openrouter anthropic/claude-sonnet-4 200000 64000 1l+ 3 15 0.3 3.75
openrouter anthropic/claude-sonnet-4.5 1000000 64000 1l+ 3 15 0.3 3.75
openrouter anthropic/claude-sonnet-4.6 1000000 128000 57+ 3 15 0.3 3.75
openrouter anthropic/claude-sonnet-5 1000000 128000 6z+ 2 10 0.2 2.5
openrouter arcee-ai/trinity-large-thinking 262144 80000 1k 0.25 0.8 0.06
openrouter auto 2000000 30000 1l+
openrouter bytedance-seed/seed-1.6 262144 32768 1l+ 0.25 2
openrouter bytedance-seed/seed-1.6-flash 262144 32768 1l+ 0.075 0.3
openrouter bytedance-seed/seed-2-1-turbo 262144 235929 1l+ 0.5 2.5
openrouter bytedance-seed/seed-2.0-code 262144 131072 1n+ 0.5 3
openrouter bytedance-seed/seed-2.0-lite 262144 131072 1r+ 0.25 2
openrouter bytedance-seed/seed-2.0-mini 262144 131072 1r+ 0.1 0.4
openrouter cohere/command-r-08-2024 128000 4000 0 0.15 0.6
openrouter cohere/command-r-plus-08-2024 128000 4000 0 2.5 10
openrouter cohere/north-mini-code:free 256000 64000 1l
openrouter deepseek/deepseek-chat 163840 16384 0 0.32 0.89
openrouter deepseek/deepseek-chat-v3-0324 163840 147456 0 0.25 1
openrouter deepseek/deepseek-chat-v3.1 163840 32768 1l 0.25 0.95 0.13
openrouter deepseek/deepseek-r1 64000 16000 1k 0.7 2.5
openrouter deepseek/deepseek-r1-0528 163840 32768 1k 0.5 2.15 0.35
openrouter deepseek/deepseek-v3.1-terminus 131072 32768 1l 0.27 1 0.135
openrouter deepseek/deepseek-v3.2 163840 65536 1l 0.269 0.4 0.1345
openrouter deepseek/deepseek-v3.2-exp 163840 65536 1l 0.27 0.41
openrouter deepseek/deepseek-v4-flash 1024000 384000 2r 0.049 0.098 0.0098
openrouter deepseek/deepseek-v4-flash-0731 1048576 943718 4r 0.04 0.64 0.016
openrouter deepseek/deepseek-v4-flash-vision-exp 1048576 943718 4r+ 0.22 0.66 0.007
openrouter deepseek/deepseek-v4-pro 1024000 384000 2r 0.8956 1.7912 0.0746
openrouter deepseek/deepseek-v4-pro-0813 1048576 384000 4r 0.66 1.98 0.022
openrouter deepseek/deepseek-v4.1-flash 1048576 384000 4r+ 0.15 0.6 0.003
openrouter dots-studio/dots-3-note-preview:free 512000 460800 1l+
openrouter google/gemini-2.5-flash 1048576 65535 1l+ 0.3 2.5 0.03 0.0833
openrouter google/gemini-2.5-flash-lite 1048576 65535 1l+ 0.1 0.4 0.01 0.0833
openrouter google/gemini-2.5-pro 1048576 65536 1k+ 1.25 10 0.125 0.375
openrouter google/gemini-2.5-pro-preview 1048576 65536 1k+ 1.25 10 0.125 0.375
openrouter google/gemini-3-flash-preview 1048576 65536 1r+ 0.5 3 0.05 0.0833
openrouter google/gemini-3-pro-image 65536 32768 1k+ 2 12 0.2 0.375
openrouter google/gemini-3.1-flash-lite 1048576 65536 1r+ 0.25 1.5 0.025 0.0833
openrouter google/gemini-3.1-flash-lite-preview 1048576 65536 1r+ 0.25 1.5 0.025 0.0833
openrouter google/gemini-3.1-pro-preview 1048576 65536 1k+ 2 12 0.2 0.375
openrouter google/gemini-3.1-pro-preview-customtools 1048576 65536 1k+ 2 12 0.2 0.375
openrouter google/gemini-3.5-flash 1048576 65536 1o+ 1.5 9 0.15 0.0833
openrouter google/gemini-3.5-flash-lite 1048576 65536 1o+ 0.3 2.5 0.03 0.0833
openrouter google/gemini-3.6-flash 1048576 65536 1o+ 0.75 3.75 0.075 0.0417
openrouter google/gemini-3.7-flash 1048576 65536 1k+ 0.75 3.75 0.075 0.0417
openrouter google/gemini-3.8-flash 1048576 65536 1k+ 0.75 3.75 0.075 0.0417
openrouter google/gemma-3-12b-it 131072 16384 0+ 0.05 0.15
openrouter google/gemma-3-27b-it 131072 117964 0+ 0.08 0.45 0.04
openrouter google/gemma-4-26b-a4b-it 262144 235929 1l+ 0.09 0.3 0.05
openrouter google/gemma-4-26b-a4b-it:free 262144 32768 1l+
openrouter google/gemma-4-31b-it 262144 16384 1l+ 0.09 0.34 0.05
openrouter google/gemma-4-31b-it:free 262144 32768 1l+
openrouter ibm-granite/granite-4.2-8b 131072 117964 17 0.06 0.25 0.015
openrouter inception/mercury-2 128000 50000 1k 0.25 0.75 0.025
openrouter inception/mercury-2.5 260000 65536 1k 0.04 0.15 0.004
openrouter inclusionai/ling-3.0-flash 262144 32768 1l 0.021 0.063 0.0042
openrouter inclusionai/ling-3.0-flash-fin 262144 235929 1l 0.06 0.18 0.012
openrouter inclusionai/ling-3.0-flash-fin:free 262144 32768 1l
openrouter inclusionai/ling-3.0-flash-sante:free 262144 32768 1l
openrouter inclusionai/ling-3.0-flash-vl 131072 32768 1l+ 0.06 0.18 0.012
openrouter inclusionai/ling-3.0-flash-vl:free 262144 32768 1l+
openrouter kwaipilot/kat-coder-pro-v2.5 262144 235929 0 0.74 2.96 0.15
openrouter liquid/lfm-2.5-2.6b:free 65536 8192 1k
openrouter meituan/longcat-2.0 1048756 262144 1l 0.3 1.2 0.006
openrouter meta-llama/llama-3.1-70b-instruct 131072 16384 0 0.4 0.4
openrouter meta-llama/llama-3.1-8b-instruct 131072 117964 0 0.05 0.08 0.025
openrouter meta-llama/llama-3.3-70b-instruct 131072 16384 0 0.1 0.32
openrouter meta-llama/llama-4-maverick 128000 16384 0+ 0.1875 0.6525
openrouter meta-llama/llama-4-scout 327680 16384 0+ 0.1 0.3
openrouter meta/muse-glimmer-30b 131072 16384 3c+ 0.3 1.2 0.04
openrouter meta/muse-spark-1.1 1048576 943718 3g+ 1.25 4.25 0.15
openrouter meta/muse-spark-1.2 1048576 943718 3g+ 1.25 4.25 0.15
openrouter meta/muse-spark-1.2-contributor 1048576 943718 3g+ 0.1 0.2 0.002
openrouter meta/muse-spark-1.3 1048576 943718 70+ 1.25 4.25 0.15
openrouter meta/muse-spark-1.3-contributor 1048576 943718 70+ 0.1 0.2 0.002
openrouter minimax/minimax-m1 1000000 40000 1l 0.4 2.2
openrouter minimax/minimax-m2 204800 131072 1k 0.255 1.02
openrouter minimax/minimax-m2.1 204800 131072 1k 0.3 1.2 0.03
openrouter minimax/minimax-m2.5 200000 128000 1k 0.27 1.08 0.027
openrouter minimax/minimax-m2.7 204800 131072 1k 0.3 1.2 0.06
openrouter minimax/minimax-m3 524288 512000 1l+ 0.3 1.2 0.06
openrouter mistralai/codestral-2508 256000 204800 0 0.3 0.9 0.03
openrouter mistralai/devstral-2512 262144 209715 0 0.4 2 0.04
openrouter mistralai/ministral-14b-2512 262144 209715 0+ 0.2 0.2 0.02
openrouter mistralai/ministral-3b-2512 131072 104857 0+ 0.1 0.1 0.01
openrouter mistralai/ministral-8b-2512 262144 209715 0+ 0.15 0.15 0.015
openrouter mistralai/mistral-large 128000 102400 0 2 6 0.2
openrouter mistralai/mistral-large-2407 131072 104857 0 2 6 0.2
openrouter mistralai/mistral-medium-3 131072 104857 0+ 0.4 2 0.04
openrouter mistralai/mistral-medium-3-5 262144 209715 z+ 1.5 7.5
openrouter mistralai/mistral-medium-3.1 131072 104857 0+ 0.4 2 0.04
openrouter mistralai/mistral-nemo 131072 16384 0 0.019 0.03
openrouter mistralai/mistral-saba 32768 26214 0 0.2 0.6 0.02
openrouter mistralai/mistral-small-2603 262144 209715 z+ 0.15 0.6 0.015
openrouter mistralai/mistral-small-3.1-24b-instruct 128000 102400 0+ 0.351 0.555
openrouter mistralai/mistral-small-3.2-24b-instruct 256000 16384 0+ 0.0938 0.25
openrouter mistralai/mixtral-8x22b-instruct 65536 52428 0 2 6 0.2
openrouter mistralai/voxtral-small-24b-2507 32768 26214 0 0.1 0.3 0.01
openrouter moonshotai/kimi-k2 131072 98304 0 0.57 2.3
openrouter moonshotai/kimi-k2-0905 262144 98304 0 0.6 2.5
openrouter moonshotai/kimi-k2-thinking 262144 98304 1k 0.6 2.5 0.15
openrouter moonshotai/kimi-k2.5 262144 4096 1l+ 0.41 2.06 0.07
openrouter moonshotai/kimi-k2.6 262144 235929 1l+ 0.95 4 0.16
openrouter moonshotai/kimi-k2.7-code 262144 235929 1k+ 0.7062 3.3 0.18
openrouter moonshotai/kimi-k3 1048576 131072 4r+ 3 15 0.3
openrouter nex-agi/nex-n2.5-mini:free 262144 235929 1f+
openrouter nex-agi/nex-n2.5-pro 262144 235929 1f+ 0.075 0.25 0.015
openrouter nex-agi/nex-n2.5-pro:free 262144 235929 1f+
openrouter nvidia/nemotron-3-nano-30b-a3b 262144 235929 1l 0.05 0.2 0.03
openrouter nvidia/nemotron-3-nano-omni-30b-a3b-reasoning:free 256000 65536 1l+
openrouter nvidia/nemotron-3-super-120b-a12b 262144 235929 r 0.08 0.45
openrouter nvidia/nemotron-3-super-120b-a12b:free 262144 235929 r
openrouter nvidia/nemotron-3-ultra-550b-a55b 202800 182520 1f 0.6 2.4 0.12
openrouter nvidia/nemotron-3-ultra-550b-a55b:free 1000000 65536 1f
openrouter nvidia/nemotron-3.5-lightning 262144 235929 1l 0.07 0.2 0.04
openrouter nvidia/nemotron-3.5-lightning:free 1000000 65536 1l
openrouter openai/gpt-3.5-turbo 16385 4096 0 0.5 1.5
openrouter openai/gpt-3.5-turbo-0613 4095 3685 0 1 2
openrouter openai/gpt-3.5-turbo-16k 16385 4096 0 3 4
openrouter openai/gpt-4 8191 4096 0 30 60
openrouter openai/gpt-4-turbo 128000 4096 0+ 10 30
openrouter openai/gpt-4.1 1047576 32768 0+ 2 8 0.5
openrouter openai/gpt-4.1-mini 1047576 32768 0+ 0.4 1.6 0.1
openrouter openai/gpt-4.1-nano 1047576 32768 0+ 0.1 0.4 0.025
openrouter openai/gpt-4o 128000 16384 0+ 2.5 10 1.25
openrouter openai/gpt-4o-2024-05-13 128000 4096 0+ 5 15
openrouter openai/gpt-4o-2024-08-06 128000 16384 0+ 2.5 10 1.25
openrouter openai/gpt-4o-2024-11-20 128000 16384 0+ 2.5 10 1.25
openrouter openai/gpt-4o-mini 128000 16384 0+ 0.15 0.6 0.075
openrouter openai/gpt-4o-mini-2024-07-18 128000 16384 0+ 0.15 0.6 0.075
openrouter openai/gpt-5 400000 128000 1o+ 1.25 10 0.125
openrouter openai/gpt-5-mini 400000 128000 1o+ 0.25 2 0.025
openrouter openai/gpt-5-nano 400000 128000 1o+ 0.05 0.4 0.005
openrouter openai/gpt-5-pro 400000 128000 w+ 15 120
openrouter openai/gpt-5.1 400000 128000 1n+ 1.25 10 0.125
openrouter openai/gpt-5.1-codex 400000 128000 1k+ 1.25 10 0.13
openrouter openai/gpt-5.1-codex-max 400000 128000 3c+ 1.25 10 0.125
openrouter openai/gpt-5.1-codex-mini 400000 128000 1n+ 0.25 2 0.03
openrouter openai/gpt-5.2 400000 128000 3f+ 1.75 14 0.175
openrouter openai/gpt-5.2-chat 128000 32000 0+ 1.75 14 0.175
openrouter openai/gpt-5.2-codex 400000 128000 3c+ 1.75 14 0.175
openrouter openai/gpt-5.2-pro 400000 128000 34+ 21 168
openrouter openai/gpt-5.3-codex 400000 128000 3f+ 1.75 14 0.175
openrouter openai/gpt-5.4 1050000 128000 3f+ 2.5 15 0.25
openrouter openai/gpt-5.4-mini 400000 128000 3f+ 0.75 4.5 0.075
openrouter openai/gpt-5.4-nano 400000 128000 3f+ 0.2 1.25 0.02
openrouter openai/gpt-5.4-pro 1050000 128000 34+ 30 180
openrouter openai/gpt-5.5 1050000 128000 3f+ 5 30 0.5
openrouter openai/gpt-5.5-pro 1050000 128000 34+ 30 180
openrouter openai/gpt-5.6-luna 1050000 128000 6z+ 0.2 1.2 0.02 0.25
openrouter openai/gpt-5.6-luna-pro 1050000 128000 6z+ 0.2 1.2 0.02 0.25
openrouter openai/gpt-5.6-sol 1050000 128000 6z+ 2 10 0.2 2.5
openrouter openai/gpt-5.6-sol-pro 1050000 128000 6z+ 2 10 0.2 2.5
openrouter openai/gpt-5.6-terra 1050000 128000 6z+ 2 12 0.2 2.5
openrouter openai/gpt-5.6-terra-pro 1050000 128000 6z+ 2 12 0.2 2.5
openrouter openai/gpt-6-astra 1050000 128000 6w+ 10 50 1 12.5
openrouter openai/gpt-6-astra-pro 1050000 128000 6w+ 10 50 1 12.5
openrouter openai/gpt-6-luna 1050000 128000 6z+ 0.1 0.5 0.01 0.125
openrouter openai/gpt-6-luna-pro 1050000 128000 6z+ 0.1 0.5 0.01 0.125
openrouter openai/gpt-6-sol 1050000 128000 6z+ 2 10 0.2 2.5
openrouter openai/gpt-6-sol-pro 1050000 128000 6z+ 2 10 0.2 2.5
openrouter openai/gpt-audio 128000 16384 0 2.5 10
openrouter openai/gpt-audio-mini 128000 16384 0 0.6 2.4
openrouter openai/gpt-chat-latest 400000 128000 0+ 5 30 0.5
openrouter openai/gpt-oss-120b 131072 65536 1k 0.15 0.6 0.075
openrouter openai/gpt-oss-20b 131072 32768 1k 0.018 0.09
openrouter openai/gpt-oss-safeguard-20b 131072 65536 1k 0.075 0.3 0.0375
openrouter openai/o1 200000 100000 1l+ 15 60 7.5
openrouter openai/o3 200000 100000 1l+ 2 8 0.5
openrouter openai/o3-mini 200000 100000 1l 1.1 4.4 0.55
openrouter openai/o3-mini-high 200000 100000 w 1.1 4.4 0.55
openrouter openai/o3-pro 200000 100000 1l+ 20 80
openrouter openai/o4-mini 200000 100000 1l+ 1.1 4.4 0.275
openrouter openai/o4-mini-high 200000 100000 w+ 1.1 4.4 0.275
openrouter openrouter/auto 2000000 4096 1l+ -1000000 -1000000
openrouter openrouter/auto-beta 2000000 4096 1l+ -1000000 -1000000
openrouter openrouter/free 200000 4096 1l+
openrouter openrouter/fusion 1000000 30000 1l
openrouter poolside/laguna-s-2.1 1048576 131072 1l 0.09 0.18 0.009
openrouter poolside/laguna-s-2.1:free 262144 32768 1l
openrouter poolside/laguna-xs-2.1 262144 32768 1l 0.06 0.12 0.03
openrouter poolside/laguna-xs-2.1:free 262144 32768 1l
openrouter prism-ml/ternary-bonsai-2-27b 262144 32768 2b+ 0.075 0.5
openrouter qwen/qwen-2.5-72b-instruct 32768 16384 0 0.36 0.4
openrouter qwen/qwen-2.5-7b-instruct 32768 29491 0 0.1 0.2
openrouter qwen/qwen-plus 1000000 32768 0 0.26 0.78 0.052 0.325
openrouter qwen/qwen-plus-2025-07-28 1000000 32768 0 0.26 0.78
openrouter qwen/qwen3-14b 40960 16384 1l 0.12 0.24
openrouter qwen/qwen3-235b-a22b 131072 8192 1l 0.455 1.82
openrouter qwen/qwen3-235b-a22b-2507 262144 235929 0 0.0875 0.35 0.0175
openrouter qwen/qwen3-235b-a22b-thinking-2507 131072 117964 1k 0.23 2.3
openrouter qwen/qwen3-30b-a3b 40960 16384 1l 0.12 0.5
openrouter qwen/qwen3-30b-a3b-instruct-2507 128000 32000 0 0.0481 0.193
openrouter qwen/qwen3-30b-a3b-thinking-2507 81920 32768 1k 0.2 2.4
openrouter qwen/qwen3-32b 40960 16384 1l 0.08 0.28
openrouter qwen/qwen3-8b 131072 8192 1l 0.117 0.455
openrouter qwen/qwen3-coder 262144 65536 0 0.3 1 0.1
openrouter qwen/qwen3-coder-30b-a3b-instruct 262144 235929 0 0.07 0.28
openrouter qwen/qwen3-coder-flash 1000000 65536 0 0.195 0.975 0.039 0.2437
openrouter qwen/qwen3-coder-next 262144 235929 0 0.12 0.8 0.07
openrouter qwen/qwen3-coder-plus 1000000 65536 0 0.65 3.25 0.13 0.8125
openrouter qwen/qwen3-max 262144 65536 0 0.78 3.9 0.156 0.975
openrouter qwen/qwen3-max-thinking 262144 65536 1l 0.78 3.9
openrouter qwen/qwen3-next-80b-a3b-instruct 262144 16384 0 0.09 1.1
openrouter qwen/qwen3-next-80b-a3b-thinking 262144 235929 1k 0.15 1.2
openrouter qwen/qwen3-vl-235b-a22b-instruct 131072 32768 0+ 0.21 1.9 0.1
openrouter qwen/qwen3-vl-235b-a22b-thinking 131072 32768 1k+ 0.4 4
openrouter qwen/qwen3-vl-30b-a3b-instruct 131072 32768 0+ 0.13 0.52
openrouter qwen/qwen3-vl-30b-a3b-thinking 131072 32768 1k+ 0.2 2.4
openrouter qwen/qwen3-vl-32b-instruct 131072 32768 0+ 0.104 0.416
openrouter qwen/qwen3-vl-8b-instruct 131072 32768 0+ 0.117 0.455
openrouter qwen/qwen3-vl-8b-thinking 131072 32768 1k+ 0.18 2.1
openrouter qwen/qwen3.5-122b-a10b 262144 65536 1l+ 0.26 2.08
openrouter qwen/qwen3.5-27b 262144 65536 1l+ 0.195 1.56
openrouter qwen/qwen3.5-35b-a3b 256000 16384 1l+ 0.3125 1.25 0.1563
openrouter qwen/qwen3.5-397b-a17b 262144 235929 1l+ 0.55 3.5 0.225
openrouter qwen/qwen3.5-9b 256000 32768 1l+ 0.1 0.15
openrouter qwen/qwen3.5-flash-02-23 1000000 65536 1l+ 0.065 0.26
openrouter qwen/qwen3.5-plus-02-15 1000000 65536 1l+ 0.26 1.56
openrouter qwen/qwen3.5-plus-20260420 1000000 65536 1l+ 0.3 1.8 0 0.375
openrouter qwen/qwen3.6-27b 262144 262140 1l+ 0.32 2.7 0.15
openrouter qwen/qwen3.6-35b-a3b 262144 235929 1l+ 0.15 1 0.05
openrouter qwen/qwen3.6-flash 1000000 65536 1l+ 0.1875 1.125 0 0.2344
openrouter qwen/qwen3.6-max-preview 262144 65536 1l 1.027 6.162 0 1.2837
openrouter qwen/qwen3.6-plus 1000000 65536 1l+ 0.325 1.95 0 0.4063
openrouter qwen/qwen3.7-flash 1000000 65536 1l+ 0.03 0.13 0.006 0.038
openrouter qwen/qwen3.7-max 1000000 131072 1l 1.475 4.425 0.295 1.8438
openrouter qwen/qwen3.7-plus 1000000 131072 1l+ 0.32 1.28 0.064 0.4
openrouter qwen/qwen3.8-2.4t-a95b 1000000 131072 2g 2 6 0.25
openrouter qwen/qwen3.8-27b 1000000 131072 2j+ 0.42 3 0.085
openrouter qwen/qwen3.8-27b:free 262144 235929 2j+
openrouter qwen/qwen3.8-flash 1000000 131072 1l+ 0.15 0.47 0.016 0.2
openrouter qwen/qwen3.8-max-0902 1000000 131072 3g+ 2 6 0.25 2.5
openrouter qwen/qwen3.8-omni-flash 1000000 131072 1l+ 0.15 0.47 0.016
openrouter rekaai/reka-edge 16384 14745 0+ 0.1 0.1
openrouter relace/relace-search 256000 128000 0 1 3
openrouter sakana/fugu-max 1000000 128000 68+ 2 6 0.25
openrouter sakana/fugu-ultra 1000000 128000 68+ 5 30 0.5
openrouter sakana/fugu-ultra-v2 1000000 128000 68+ 5 30 0.5
openrouter sakana/sakana-namazu 262144 65536 z+ 0.95 4 0.15
openrouter sao10k/l3.1-euryale-70b 131072 16384 0 0.85 0.85
openrouter stepfun/step-3.5-flash 262144 65536 1k 0.1 0.3
openrouter stepfun/step-3.7-flash 256000 230400 1k+ 0.2 1.15 0.04
openrouter tencent/hy3 262144 128000 17 0.0825 0.33 0.0206
openrouter tencent/hy3-preview 262144 235929 17 0.18 0.6 0.06
openrouter tencent/hy4-preview 1048576 64000 17 0.834 2.501 0.042
openrouter thinkingmachines/inkling 524288 471859 5b+ 1 4.05 0.17
openrouter thinkingmachines/inkling-small 524288 262144 5b+ 0.45 1.2 0.1
openrouter thinkingmachines/inkling-small:free 1048576 262144 5b+
openrouter thinkingmachines/inkling:free 1048576 262144 5b+
openrouter unbiased/pareto 262144 131072 0+ 2.5 7.5 0.25
openrouter upstage/solar-pro-3 131072 117964 1r 0.15 0.6 0.015
openrouter upstage/solar-pro4 524288 131072 73 0.09 0.36 0.018
openrouter x-ai/grok-4.20 2000000 1800000 1l+ 1.25 2.5 0.2
openrouter x-ai/grok-4.3 1000000 900000 1n+ 1.25 2.5 0.2
openrouter x-ai/grok-4.5 500000 450000 1k+ 2 6 0.3
openrouter x-ai/grok-4.6 500000 450000 3c+ 2 6 0.5
openrouter x-ai/grok-4.7 500000 450000 3c+ 1.6 4.8 0.4
openrouter x-ai/grok-build-0.1 256000 230400 1k+ 1 2 0.2
openrouter xiaomi/mimo-v2.5 1048576 131072 1l+ 0.14 0.28 0.0028
openrouter xiaomi/mimo-v2.5-pro 1048576 131072 1l 0.435 0.87 0.0036
openrouter xiaomi/mimo-v2.6-flash 1048576 131072 1l+ 0.14 0.28 0.0028
openrouter xiaomi/mimo-v2.6-pro 1048576 131072 1l+ 0.435 0.87 0.0036
openrouter xiaomi/mimo-v2.6-pro-ultraspeed 1048576 131072 1l+ 4.35 8.7 0.036
openrouter z-ai/glm-4.5 131072 98304 1l 0.6 2.2 0.11
openrouter z-ai/glm-4.5-air 131072 98304 1l 0.13 0.85 0.025
openrouter z-ai/glm-4.5v 65536 16384 1l+ 0.6 1.8 0.11
openrouter z-ai/glm-4.6 198000 16384 1l 0.43 1.75 0.08
openrouter z-ai/glm-4.6v 131072 32768 1l+ 0.3 0.9 0.055
openrouter z-ai/glm-4.7 202752 131072 1l 0.4 1.75 0.08
openrouter z-ai/glm-4.7-flash 131072 117964 1l 0.0605 0.4
openrouter z-ai/glm-5 198000 128000 1l 0.6 1.9 0.119
openrouter z-ai/glm-5-turbo 202752 131072 1l 1.2 4 0.24
openrouter z-ai/glm-5.1 200000 128000 1l 0.966 3.036 0.1794
openrouter z-ai/glm-5.2 1048576 131072 2r 0.6496 2.0416 0.1206
openrouter z-ai/glm-5.3 1048576 131072 4o 0.6538 2.0548 0.1214
openrouter z-ai/glm-5.3-flash 1048576 943718 4o+ 0.15 0.5 0.05
openrouter z-ai/glm-5.3-flashx 1048576 131072 4o+ 0.37 1.25 0.075
openrouter z-ai/glm-5v-turbo 202752 131072 1l+ 1.2 4 0.24
openrouter ~anthropic/claude-fable-latest 1000000 128000 6w+ 10 50 0.25 12.5
openrouter ~anthropic/claude-haiku-latest 200000 64000 1l+ 1 5 0.1 1.25
openrouter ~anthropic/claude-opus-latest 1000000 128000 6w+ 4 20 0.2 5
openrouter ~anthropic/claude-sonnet-latest 1000000 128000 6z+ 2 10 0.2 2.5
openrouter ~deepseek/deepseek-flash-latest 1048576 943718 4r+ 0.12 0.48 0.0036
openrouter ~deepseek/deepseek-pro-latest 1048576 393216 4r 0.4 1.1999 0.0127
openrouter ~deepseek/deepseek-v4-flash-latest 1048576 943718 4r 0.03 0.8 0.008
openrouter ~google/gemini-flash-latest 1048576 65536 1k+ 0.75 3.75 0.075 0.0417
openrouter ~google/gemini-pro-latest 1048576 65536 1k+ 2 12 0.2 0.375
openrouter ~moonshotai/kimi-latest 1048576 131072 4r+ 1.4989 10.758 0.3
openrouter ~openai/gpt-astra-latest 1050000 128000 6w+ 10 50 1 12.5
openrouter ~openai/gpt-luna-latest 1050000 128000 6z+ 0.1 0.5 0.01 0.125
openrouter ~openai/gpt-mini-latest 400000 128000 3f+ 0.75 4.5 0.075
openrouter ~openai/gpt-sol-latest 1050000 128000 6z+ 2 10 0.2 2.5
openrouter ~openai/gpt-terra-latest 1050000 128000 6z+ 2 12 0.2 2.5
openrouter ~x-ai/grok-latest 500000 450000 3c+ 1.6 4.8 0.4
openrouter ~z-ai/glm-flash-latest 1048576 943718 4o+ 0.075 0.25 0.015
openrouter ~z-ai/glm-latest 1048576 131072 4o 0.6538 2.0548 0.1214
xai grok-4.3 1000000 30000 1n+ 1.25 2.5 0.2 >200000 2.5 5 0.4
xai grok-4.5 500000 500000 1k+ 2 6 0.3 >200000 4 12 0.6
xai grok-4.6 500000 500000 3c+ 2 6 0.5 >200000 4 12 1
xai grok-4.7 500000 500000 3c+ 2 6 0.5 >200000 4 12 1
zai glm-4.7 204800 131072 1l 0.6 2.2 0.11
zai glm-5-turbo 200000 131072 1l 1.2 4 0.24
zai glm-5.2 1000000 131072 4j 1.4 4.4 0.26
zai glm-5.2-highspeed 1000000 131072 4j
zai glm-5.3 1000000 131072 4o 1.4 4.4 0.26
zai glm-5.3-flash 1000000 131072 4o+ 0.15 0.5 0.03
zai glm-5.3-highspeed 1000000 131072 4o
`;
