import { html } from 'hono/html';
import type {
  BlockContent,
  Definition,
  DefinitionContent,
  Nodes,
  PhrasingContent,
  Root,
  RootContent,
} from 'mdast';
import { isTimeLimit, spend, type TimeBudget, withinTime } from '../base/json-schema.ts';
import { memoize } from '../base/memoize.ts';
import { definitionsOf, isOnlyText, nestsTooDeep, textTree } from '../formats/markdown.ts';
import { parseMarkdown } from '../protocol/scan/reference.ts';
import { type Html, visibleText } from './page.ts';

/** Draws the markdown of an author. */
export type DrawProse = (source: string) => Html;

/** Processor time for all texts of a page; the rest is shown as written. */
const LIMIT_MS = 3000;

/**
 * Makes the drawing of one page. Every text is escaped, HTML is shown as written, and only http and https become links, with their
 * address next to them. A text that nests too deep or costs too much is shown as written.
 */
export function drawProse(limitMs = LIMIT_MS): DrawProse {
  const budget: TimeBudget = { limitMs, spentMs: 0 };
  return (written) => {
    const source = written.replace(/\r\n?/g, '\n').replace(/^\n+|\s+$/g, '');
    if (isOnlyText(source)) return asProse(drawn(textTree(source)));
    if (budget.spentMs > limitMs || nestsTooDeep(source)) return asWritten(source);
    try {
      return spend(budget, () => withinTime(() => drawnOnce(source), limitMs));
    } catch (error) {
      if (error instanceof RangeError || isTimeLimit(error)) return asWritten(source);
      throw error;
    }
  };
}

const asProse = (blocks: Html[]): Html => html`<div class="prose">${blocks}</div>`;
const asWritten = (text: string): Html => html`<div class="text">${visibleText(text)}</div>`;

/** The local page draws the same texts again and again. */
const drawnOnce = memoize((source) => asProse(drawn(parseMarkdown(source), source)), 512 * 1024);

function drawn(root: Root, source = ''): Html[] {
  const definitions = definitionsOf(root);
  return root.children.map(block);

  function block(node: RootContent | BlockContent | DefinitionContent): Html {
    switch (node.type) {
      case 'heading':
        // Not a heading of the page: these are the author's.
        return html`<p class="heading">${inlines(node.children)}</p>`;
      case 'paragraph':
        return html`<p>${inlines(node.children)}</p>`;
      case 'code':
        return html`<pre tabindex="0">${visibleText(node.value)}</pre>`;
      case 'blockquote':
        return html`<blockquote>${node.children.map(block)}</blockquote>`;
      case 'list': {
        const items = node.children.map(
          ({ checked, children }) =>
            html`<li>${typeof checked === 'boolean' ? html`<span class="box">[${checked ? 'x' : ' '}]</span>` : ''}${children.map(block)}</li>`,
        );
        return node.ordered ? html`<ol start="${node.start ?? 1}">${items}</ol>` : html`<ul>${items}</ul>`;
      }
      case 'table': {
        const [head, ...rows] = node.children.map(({ children }) =>
          children.map((cell) => inlines(cell.children)),
        );
        return html`<div class="scroll" tabindex="0" role="region" aria-label="Table"><table><thead><tr>${head?.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead><tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
      }
      case 'thematicBreak':
        return html`<hr>`;
      default:
        // HTML, definitions and every other node: nothing is hidden.
        return html`<pre tabindex="0">${visibleText(written(node))}</pre>`;
    }
  }

  function inlines(nodes: readonly PhrasingContent[]): Html[] {
    return nodes.map(inline);
  }

  function inline(node: PhrasingContent): Html {
    switch (node.type) {
      case 'text':
        return html`${visibleText(node.value)}`;
      case 'strong':
        return html`<strong>${inlines(node.children)}</strong>`;
      case 'emphasis':
        return html`<em>${inlines(node.children)}</em>`;
      case 'delete':
        return html`<del>${inlines(node.children)}</del>`;
      case 'inlineCode':
        return html`<code>${visibleText(node.value)}</code>`;
      case 'break':
        return html`<br>`;
      case 'link':
        return addressed(html`${inlines(node.children)}`, node);
      case 'image':
        return addressed(html`[image: ${visibleText(node.alt ?? '')}]`, node);
      case 'linkReference':
        return addressed(html`${inlines(node.children)}`, definitions.get(node.identifier));
      case 'imageReference':
        return addressed(html`[image: ${visibleText(node.alt ?? '')}]`, definitions.get(node.identifier));
      default:
        return html`<code>${visibleText(written(node))}</code>`;
    }
  }

  /** A text with its address after it, so that a link always shows its target. */
  function addressed(text: Html, target: Pick<Definition, 'url' | 'title'> | undefined): Html {
    if (target === undefined) return text;
    const { url, title } = target;
    const shown = visibleText(url);
    const address = webAddress(url);
    const link =
      address === null
        ? html`${shown}`
        : html`<a href="${address}" rel="noopener noreferrer nofollow">${shown}</a>`;
    const note = title ? ` "${title}"` : '';
    return String(text) === String(html`${shown}`) ? link : html`${text} (${link}${visibleText(note)})`;
  }

  function written({ position }: Nodes): string {
    return source.slice(position?.start.offset, position?.end.offset);
  }
}

/** An address that may be a link; null for any other scheme, and for what is not an address. */
function webAddress(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, href } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? href : null;
}
