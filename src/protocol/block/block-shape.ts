// Made by scripts/block-shape.mjs from src/protocol/schema.ts; a test compares the two. Do not edit.
import type { Shape } from './shape.ts';

/** What a step block may look like. */
export const BLOCK_SHAPE: Shape = {
  kind: 'object',
  fields: {
    proof_of_work: {
      shape: {
        kind: 'choice',
        by: 'type',
        options: {
          shell: {
            kind: 'object',
            fields: {
              type: { shape: { kind: 'word', words: ['shell'] } },
              shell: {
                shape: {
                  kind: 'object',
                  fields: {
                    cmd: { shape: { kind: 'text', pattern: /\S/ } },
                    timeout_seconds: {
                      shape: { kind: 'number', isWhole: true, least: 1, most: 86400 },
                      otherwise: { value: 60 },
                    },
                    workdir: { shape: { kind: 'text', least: 1 }, otherwise: 'absent' },
                    env: {
                      shape: { kind: 'list', item: { kind: 'text', pattern: /^[A-Za-z_][A-Za-z0-9_]*$/ } },
                      otherwise: 'absent',
                    },
                    expect_exit_code: {
                      shape: { kind: 'number', isWhole: true, least: 0, most: 255 },
                      otherwise: { value: 0 },
                    },
                    stdout_matches: { shape: { kind: 'text', least: 1 }, otherwise: 'absent' },
                    interactive: { shape: { kind: 'flag' }, otherwise: 'absent' },
                    interpreter: {
                      shape: {
                        kind: 'word',
                        words: ['sh', 'bash', 'zsh', 'python3', 'node', 'perl', 'ruby', 'pwsh'],
                      },
                      otherwise: 'absent',
                    },
                  },
                },
              },
              required: { shape: { kind: 'flag' }, otherwise: { value: true } },
              assurance: {
                shape: { kind: 'word', words: ['claimed', 'client', 'observed', 'attested'] },
                otherwise: 'absent',
              },
            },
          },
          mcp: {
            kind: 'object',
            fields: {
              type: { shape: { kind: 'word', words: ['mcp'] } },
              mcp: {
                shape: {
                  kind: 'object',
                  fields: {
                    tool_name: { shape: { kind: 'text', least: 1 } },
                    server: { shape: { kind: 'text', least: 1 }, otherwise: 'absent' },
                    arguments: { shape: { kind: 'mapping' }, otherwise: 'absent' },
                    expected_result: { shape: { kind: 'any' }, otherwise: 'absent' },
                    result_schema: { shape: { kind: 'mapping' }, otherwise: 'absent' },
                  },
                },
              },
              required: { shape: { kind: 'flag' }, otherwise: { value: true } },
              assurance: {
                shape: { kind: 'word', words: ['claimed', 'client', 'observed', 'attested'] },
                otherwise: 'absent',
              },
            },
          },
          user_input: {
            kind: 'object',
            fields: {
              type: { shape: { kind: 'word', words: ['user_input'] } },
              user_input: {
                shape: {
                  kind: 'object',
                  fields: {
                    prompt: { shape: { kind: 'text', least: 1 } },
                    choices: {
                      shape: { kind: 'list', item: { kind: 'text', least: 1 }, least: 1 },
                      otherwise: 'absent',
                    },
                    pattern: { shape: { kind: 'text', least: 1 }, otherwise: 'absent' },
                  },
                },
              },
              required: { shape: { kind: 'flag' }, otherwise: { value: true } },
              assurance: {
                shape: { kind: 'word', words: ['claimed', 'client', 'observed', 'attested'] },
                otherwise: 'absent',
              },
            },
          },
          comment: {
            kind: 'object',
            fields: {
              type: { shape: { kind: 'word', words: ['comment'] } },
              comment: {
                shape: {
                  kind: 'object',
                  fields: {
                    min_length: {
                      shape: { kind: 'number', isWhole: true, least: 1, most: 65536 },
                      otherwise: { value: 10 },
                    },
                  },
                },
                otherwise: { value: { min_length: 10 } },
              },
              required: { shape: { kind: 'flag' }, otherwise: { value: true } },
              assurance: {
                shape: { kind: 'word', words: ['claimed', 'client', 'observed', 'attested'] },
                otherwise: 'absent',
              },
            },
          },
        },
      },
      otherwise: 'absent',
    },
    outputs: {
      shape: {
        kind: 'list',
        item: {
          kind: 'object',
          fields: {
            path: { shape: { kind: 'text', least: 1 } },
            exists: { shape: { kind: 'flag' }, otherwise: 'absent' },
            sha256: { shape: { kind: 'text', pattern: /^[0-9a-f]{64}$/ }, otherwise: 'absent' },
            matches: { shape: { kind: 'text', least: 1 }, otherwise: 'absent' },
            json_pointer: {
              shape: { kind: 'text', pattern: /^(?:\/(?:[^~/]|~[01])*)*$/ },
              otherwise: 'absent',
            },
            equals: { shape: { kind: 'any' }, otherwise: 'absent' },
            schema: { shape: { kind: 'mapping' }, otherwise: 'absent' },
          },
        },
        least: 1,
      },
      otherwise: 'absent',
    },
    sampling: {
      shape: {
        kind: 'object',
        fields: {
          system: { shape: { kind: 'text', least: 1 } },
          prompt: { shape: { kind: 'text', least: 1 } },
          temperature: { shape: { kind: 'number', least: 0, most: 2 }, otherwise: { value: 0.2 } },
          top_p: { shape: { kind: 'number', least: 0, most: 1 }, otherwise: { value: 0.9 } },
          max_tokens: { shape: { kind: 'number', isWhole: true, least: 1 }, otherwise: { value: 1024 } },
          approval_mode: { shape: { kind: 'word', words: ['user', 'auto'] }, otherwise: 'absent' },
          output_schema: { shape: { kind: 'mapping' } },
        },
      },
      otherwise: 'absent',
    },
    proposal: {
      shape: {
        kind: 'object',
        fields: {
          action_type: {
            shape: {
              kind: 'word',
              words: [
                'navigate',
                'read',
                'write',
                'create',
                'delete',
                'execute',
                'communicate',
                'transact',
                'approve',
                'custom',
              ],
            },
            otherwise: 'absent',
          },
          target: {
            shape: {
              kind: 'object',
              fields: {
                resource_type: { shape: { kind: 'text', least: 1 }, otherwise: 'absent' },
                resource_id: { shape: { kind: 'text', least: 1 }, otherwise: 'absent' },
                domain: { shape: { kind: 'text', least: 1 }, otherwise: 'absent' },
                constraints: { shape: { kind: 'mapping' }, otherwise: 'absent' },
              },
            },
            otherwise: 'absent',
          },
          effects: { shape: { kind: 'list', item: { kind: 'text', least: 1 } }, otherwise: 'absent' },
          preconditions: {
            shape: {
              kind: 'list',
              item: {
                kind: 'object',
                fields: {
                  field: { shape: { kind: 'text' } },
                  operator: {
                    shape: { kind: 'word', words: ['eq', 'ne', 'gt', 'lt', 'contains', 'matches'] },
                  },
                  value: { shape: { kind: 'any' } },
                  evidence_ref: { shape: { kind: 'text', least: 1 } },
                },
              },
            },
            otherwise: 'absent',
          },
          risk_envelope: {
            shape: {
              kind: 'object',
              fields: {
                allowed_side_effects: {
                  shape: { kind: 'list', item: { kind: 'text', least: 1 } },
                  otherwise: 'absent',
                },
                forbidden_effects: {
                  shape: { kind: 'list', item: { kind: 'text', least: 1 } },
                  otherwise: 'absent',
                },
                max_affected_records: { shape: { kind: 'number', isWhole: true }, otherwise: 'absent' },
                reversible_required: { shape: { kind: 'flag' }, otherwise: 'absent' },
              },
            },
            otherwise: 'absent',
          },
          rollback_semantics: {
            shape: {
              kind: 'object',
              fields: {
                strategy: { shape: { kind: 'word', words: ['none', 'manual', 'command', 'chain'] } },
                command: { shape: { kind: 'text', least: 1 }, otherwise: 'absent' },
                chain_uri: { shape: { kind: 'text', least: 1 }, otherwise: 'absent' },
                verify: { shape: { kind: 'text', least: 1 }, otherwise: 'absent' },
                deadline_ms: { shape: { kind: 'number', isWhole: true, least: 1 }, otherwise: 'absent' },
              },
            },
            otherwise: 'absent',
          },
          time_window: {
            shape: {
              kind: 'object',
              fields: {
                max_duration_ms: { shape: { kind: 'number', isWhole: true, least: 1 }, otherwise: 'absent' },
              },
            },
            otherwise: 'absent',
          },
          approval_class: {
            shape: { kind: 'word', words: ['none', 'single', 'dual', 'threshold'] },
            otherwise: 'absent',
          },
          evidence_bindings: {
            shape: {
              kind: 'list',
              item: {
                kind: 'object',
                fields: {
                  evidence_id: { shape: { kind: 'text', least: 1 } },
                  ref: { shape: { kind: 'text', least: 1 } },
                  freshness_ms: { shape: { kind: 'number', isWhole: true, least: 1 }, otherwise: 'absent' },
                },
              },
            },
            otherwise: 'absent',
          },
          parameters_schema: { shape: { kind: 'mapping' }, otherwise: 'absent' },
        },
      },
      otherwise: 'absent',
    },
    captures: {
      shape: {
        kind: 'list',
        item: {
          kind: 'object',
          fields: {
            name: { shape: { kind: 'text', pattern: /^[A-Z][A-Z0-9_]{0,63}$/ } },
            from: { shape: { kind: 'word', words: ['stdout', 'result', 'answer'] } },
            pattern: { shape: { kind: 'text', least: 1 }, otherwise: 'absent' },
            json_pointer: {
              shape: { kind: 'text', pattern: /^(?:\/(?:[^~/]|~[01])*)*$/ },
              otherwise: 'absent',
            },
            secret: { shape: { kind: 'flag' }, otherwise: 'absent' },
          },
        },
        least: 1,
      },
      otherwise: 'absent',
    },
  },
};

/** What an input of a document may look like. */
export const INPUT_SHAPE: Shape = {
  kind: 'object',
  fields: {
    description: { shape: { kind: 'text', least: 1 }, otherwise: 'absent' },
    pattern: { shape: { kind: 'text', least: 1 }, otherwise: 'absent' },
    choices: { shape: { kind: 'list', item: { kind: 'text', least: 1 }, least: 1 }, otherwise: 'absent' },
    type: { shape: { kind: 'word', words: ['number', 'boolean'] }, otherwise: 'absent' },
    default: { shape: { kind: 'any' }, otherwise: 'absent' },
    secret: { shape: { kind: 'flag' }, otherwise: 'absent' },
  },
};
