import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Words that the model knows, each a direction of its own; `[UNK]` stands for all others. */
const WORDS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'cat', 'dog', 'feed', 'walk', 'the'];

/**
 * Writes a model of the `feature-extraction` task, made by hand, as Transformers.js reads it from a folder: an ONNX graph
 * that looks words up in a table (`last_hidden_state = Gather(table, input_ids)`), and a tokenizer of nine words.
 */
export function writeTinyModel(folder: string): void {
  mkdirSync(join(folder, 'onnx'), { recursive: true });
  writeFileSync(join(folder, 'onnx/model.onnx'), model());
  const json = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value));
  json('config.json', { model_type: 'bert', architectures: ['BertModel'], hidden_size: WORDS.length });
  json('tokenizer_config.json', {
    tokenizer_class: 'BertTokenizer',
    model_max_length: 32,
    pad_token: '[PAD]',
    unk_token: '[UNK]',
  });
  json('tokenizer.json', {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: WORDS.slice(0, 4).map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
    },
  });
}

/** ModelProto of onnx.proto3: IR version 8, operator set 13. */
function model(): Uint8Array {
  const size = WORDS.length;
  const table = new Float32Array(size * size);
  for (let row = 0; row < size; row += 1) table[row * size + row] = 1;
  const initializer = message(
    varint(1, size),
    varint(1, size),
    varint(2, FLOAT),
    text(8, 'table'),
    bytes(9, new Uint8Array(table.buffer)),
  );
  const node = message(
    text(1, 'table'),
    text(1, 'input_ids'),
    text(2, 'last_hidden_state'),
    text(4, 'Gather'),
  );
  const graph = message(
    bytes(1, node),
    text(2, 'tiny'),
    bytes(5, initializer),
    bytes(11, valueInfo('input_ids', INT64, ['batch', 'sequence'])),
    bytes(11, valueInfo('attention_mask', INT64, ['batch', 'sequence'])),
    bytes(12, valueInfo('last_hidden_state', FLOAT, ['batch', 'sequence', size])),
  );
  return message(varint(1, 8), bytes(7, graph), bytes(8, message(text(1, ''), varint(2, 13))));
}

/** TensorProto.DataType. */
const FLOAT = 1;
const INT64 = 7;

function valueInfo(name: string, type: number, shape: (string | number)[]): Uint8Array {
  const dimensions = shape.map((one) =>
    bytes(1, message(typeof one === 'number' ? varint(1, one) : text(2, one))),
  );
  const tensor = message(varint(1, type), bytes(2, message(...dimensions)));
  return message(text(1, name), bytes(2, message(bytes(1, tensor))));
}

/** The wire format of protocol buffers: fields one after the other. */
function message(...fields: Uint8Array[]): Uint8Array {
  return Uint8Array.from(fields.flatMap((field) => [...field]));
}

function varint(field: number, value: number): Uint8Array {
  return Uint8Array.from([...base128(field << 3), ...base128(value)]);
}

function bytes(field: number, content: Uint8Array): Uint8Array {
  return Uint8Array.from([...base128((field << 3) | 2), ...base128(content.length), ...content]);
}

function text(field: number, content: string): Uint8Array {
  return bytes(field, new TextEncoder().encode(content));
}

function base128(value: number): number[] {
  const groups: number[] = [];
  let rest = value;
  do {
    groups.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return groups;
}
