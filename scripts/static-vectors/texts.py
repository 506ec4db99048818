"""Collects the texts that teach make.py: short technical and everyday English from public packages, a text a line.

usage: texts.py OUT.txt ANSIBLE.whl BOTOCORE.whl AZURE_CLI.whl GOOGLE_API.whl WN.dict.dz FOLDOC.dict.dz DEBIAN.txt DESCRIPTIONS.txt

The wheels are ansible 12.3.0, botocore 1.44.8, azure-cli 2.91.0 and google-api-python-client 2.202.0 from PyPI (pip download
--no-deps). The dictionaries are those of Debian's dict-wn and dict-foldoc (apt-get download, dpkg-deb -x). DEBIAN.txt is what
`apt-cache dumpavail` prints. DESCRIPTIONS.txt is Debian's file Translation-en: apt-get update -o Acquire::Languages=en, then
/usr/lib/apt/apt-helper cat-file /var/lib/apt/lists/*_main_i18n_Translation-en*. The same files give the same texts.
The texts only teach the regression: the table holds none of them.
"""
import gzip, json, random, re, sys, zipfile

LONGEST = 240
LONGEST_PARAGRAPH = 320
SHORT_TEXTS = 94208
random.seed(1)


def clean(text):
    text = re.sub(r'<[^>]+>', ' ', text)
    text = re.sub(r'\b[A-Z]\(([^)]*)\)', r'\1', text)              # Ansible's markup
    text = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', text)
    text = re.sub(r'https?://\S+|[`*{}|]', ' ', text)
    return re.sub(r'\s+', ' ', text).strip(' -:"\'')


def readable(text):
    letters = sum(c.isascii() and (c.isalpha() or c == ' ') for c in text)
    return len(text) >= 8 and ' ' in text and letters > 0.8 * len(text) and '{{' not in text


def sentences(text):
    return [s for s in re.split(r'(?<=[.!?])\s+(?=[A-Z])', text) if readable(s)]


def ansible(wheel):
    tasks, about = set(), set()
    archive = zipfile.ZipFile(wheel)
    for name in archive.namelist():
        if '/plugins/modules/' not in name or not name.endswith('.py'):
            continue
        source = archive.read(name).decode('utf-8', 'replace')
        tasks.update(clean(t) for t in re.findall(r'^\s*- name: (.+)$', source, re.M))
        short = re.search(r'^short_description: (.+)$', source, re.M)
        lines = re.search(r'^description:\n((?:\s+- .*\n|\s{4,}.*\n)+)', source, re.M)
        items = [clean(i) for i in re.split(r'^\s+- ', lines[1], flags=re.M)] if lines else []
        about.update(items)
        if short:
            about.add(clean(short[1]))
            if items:
                about.add(f'{clean(short[1]).rstrip(".")}. {" ".join(items[:2])}')
    return tasks, about


def botocore(wheel):
    found = set()
    archive = zipfile.ZipFile(wheel)
    for name in archive.namelist():
        if not name.endswith('service-2.json.gz'):
            continue
        for operation in json.loads(gzip.decompress(archive.read(name))).get('operations', {}).values():
            said = sentences(clean(operation.get('documentation', '')))
            found.update(said[:1])
            if len(said) > 1:
                found.add(' '.join(said[:3]))
    return found


def google(wheel):
    found = set()
    archive = zipfile.ZipFile(wheel)

    def walk(value):
        for method in value.get('methods', {}).values():
            said = sentences(clean(method.get('description', '')))
            found.update(said[:1])
            if len(said) > 1:
                found.add(' '.join(said[:2]))
        for resource in value.get('resources', {}).values():
            walk(resource)

    for name in archive.namelist():
        if '/documents/' in name and name.endswith('.json'):
            walk(json.loads(archive.read(name)))
    return found


def azure(wheel):
    found = set()
    archive = zipfile.ZipFile(wheel)
    for name in archive.namelist():
        if name.endswith('.py') and 'command_modules' in name:
            source = archive.read(name).decode('utf-8', 'replace')
            found.update(clean(t) for t in re.findall(r'(?:short-summary|- name): (.+)$', source, re.M))
            found.update(clean(t) for t in re.findall(r'"""([^"\n]{12,200})\n', source))
    return found


def wordnet(file):
    glosses, examples = set(), set()
    text = gzip.open(file, 'rt', encoding='utf-8', errors='replace').read()
    for entry in re.split(r'\n(?=\S)', text):
        head, _, body = entry.partition('\n')
        for sense in re.split(r'\n\s+(?:[a-z]+ )?\d+: |^\s+(?:[a-z]+ )?1?: ?', re.sub(r'^\s+[a-z]+ ?:', '\n 1:', body)):
            sense = re.sub(r'\[(?:syn|ant|also):[^\]]*\]', '', re.sub(r'\s+', ' ', sense))
            gloss = clean(sense.split('"')[0]).rstrip(';, ')
            if readable(gloss):
                glosses.add(gloss)
                if random.random() < 0.4:
                    glosses.add(f'{head.strip()}: {gloss}')
            examples.update(clean(e) for e in re.findall(r'"([^"]{12,160})"', sense))
    return glosses, examples


def foldoc(file):
    text = gzip.open(file, 'rt', encoding='utf-8', errors='replace').read()
    return {clean(p) for p in re.split(r'\n\s*\n', text) if p.startswith('   ')}


def debian(file):
    descriptions = re.findall(r'^Description: (.+)$', open(file, encoding='utf-8', errors='replace').read(), re.M)
    return {clean(re.sub(r' \(.*\)$| - .*$', '', d)) for d in descriptions}


def paragraphs(file):
    """Paragraphs of the long descriptions of packages, without lists."""
    found = set()
    for description in re.findall(r'^Description-en: .+\n((?: .*\n)+)', open(file, encoding='utf-8', errors='replace').read(), re.M):
        for paragraph in re.split(r'^ \.\n', description, flags=re.M):
            if not re.search(r'^ {2,}|^ [-*]', paragraph, re.M) and len(paragraph) > 60:
                text = clean(paragraph)
                found.add(text if len(text) <= LONGEST_PARAGRAPH else text[:LONGEST_PARAGRAPH].rsplit(' ', 1)[0])
    return found


# What people and agents wrap a wish in. The words carry nothing of its subject, and the table is to learn that.
OPENINGS = ['I want to', 'I have to', 'please', 'can you', 'could you please', 'we have to', 'the user asks to', 'the user would like to',
            'how can I', 'how do I', 'what is the right way to', 'is there a procedure to', 'my task is to', 'our plan for today is to',
            'help me to', 'what are the steps to', 'it is time to', 'somebody asked me to', 'let us', 'find the instructions to',
            'before the weekend we must', 'my boss wants me to', 'show me how to', 'the ticket says that I should']
CLOSINGS = ['thanks', 'please guide me', 'what is the first step', 'do it the way we always do it', 'it is rather urgent', 'take your time',
            'tell me when it is done', 'I have never done this', 'and write down what you did', 'make sure that nothing breaks',
            'the customer is waiting', 'this came up in the meeting', 'start as soon as you can', 'ask me if something is unclear']


def requests(wishes, asides, count):
    found = set()
    while len(found) < count:
        wish = random.choice(wishes).rstrip('.')
        wish = re.sub(r'^(Creat|Delet|Updat|Retriev|Remov|Manag|Enabl|Describ|Generat|Configur|Releas|Replac|Restor|Resiz|Rotat|Renam)es\b', r'\1e', wish)
        wish = re.sub(r'^(\w+[^es\W])s\b', r'\1', wish)
        wish = wish[0].lower() + wish[1:] if wish[1:2].islower() else wish
        parts = [f'{random.choice(OPENINGS)} {wish}']
        if random.random() < 0.5:
            parts.insert(random.randrange(2), random.choice(asides).rstrip('.'))
        if random.random() < 0.5:
            parts.append(random.choice(CLOSINGS))
        found.add('. '.join(parts))
    return found


def some(texts, count, longest=LONGEST):
    """At most `count` of the texts, and of those that begin with the same five words a few only."""
    shuffled = sorted({t[:longest] for t in texts if readable(t)})
    random.shuffle(shuffled)
    kept, seen = [], {}
    for text in shuffled:
        beginning = ' '.join(text.split()[:5])
        seen[beginning] = seen.get(beginning, 0) + 1
        if seen[beginning] <= 20:
            kept.append(text)
    return kept[:count]


out, ansible_wheel, botocore_wheel, azure_wheel, google_wheel, wn, foldoc_file, debian_file, descriptions_file = sys.argv[1:]
tasks, about = ansible(ansible_wheel)
operations, commands, methods = botocore(botocore_wheel), azure(azure_wheel), google(google_wheel)
glosses, examples = wordnet(wn)
wishes = some(tasks, 20000) + some([t for t in operations | commands | methods if len(t) < 90], 20000) + some([e for e in examples if len(e) < 70], 6000)
asides = some([t for t in about | operations if len(t) < 120], 20000) + some([e for e in examples if 25 < len(e) < 90], 20000)
sets = {'tasks': some(tasks, 16000), 'modules': some(about, 20000), 'operations': some(operations, 16000), 'commands': some(commands, 10000),
        'methods': some(methods, 14000), 'glosses': some(glosses, 40000), 'examples': some(examples, 20000), 'foldoc': some(foldoc(foldoc_file), 8000),
        'debian': some(debian(debian_file), 30000), 'requests': some(requests(wishes, asides, 45000), 45000)}
for name, texts in sets.items():
    print(name, len(texts), sum(map(len, texts)) // max(1, len(texts)), texts[:3], file=sys.stderr)
everything = sorted({t for texts in sets.values() for t in texts})
random.shuffle(everything)
# The longer texts stand last: their vectors take most of the time.
short = everything[:SHORT_TEXTS]
longer = some(paragraphs(descriptions_file), 24000, LONGEST_PARAGRAPH) + some(debian(debian_file) - set(short), 12000)
random.shuffle(longer)
open(out, 'w', encoding='utf-8').write('\n'.join(short + longer) + '\n')
