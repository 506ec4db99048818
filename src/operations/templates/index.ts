import { agent } from './agent.ts';
import { checklist } from './checklist.ts';
import { incident } from './incident.ts';
import { release } from './release.ts';
import { runbook } from './runbook.ts';
import type { Template } from './template.ts';

/** Every kind of protocol to begin with. A new one is a new file and a line here. */
export const TEMPLATES: readonly Template[] = [checklist, runbook, release, incident, agent];
