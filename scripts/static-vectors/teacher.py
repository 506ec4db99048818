"""The teacher's vectors of the lines of standard input, as 32-bit floats: teacher.py TEACHER <TEXTS >VECTORS. Needs: sentence-transformers."""
import sys
from sentence_transformers import SentenceTransformer

texts = sys.stdin.read().split('\n')
model = SentenceTransformer(sys.argv[1], device='cpu')
vectors = model.encode(texts, batch_size=32, normalize_embeddings=True, show_progress_bar=False)
sys.stdout.buffer.write(vectors.astype('<f4').tobytes())
