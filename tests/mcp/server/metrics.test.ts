import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/mcp/server/metrics.ts';

describe('metrics', () => {
  it('are printed in the text format of Prometheus', () => {
    const metrics = createMetrics();
    metrics.counter('calls_total', 'Calls.').add({ tool: 'a', outcome: 'ok' });
    metrics.counter('calls_total', 'Calls.').add({ tool: 'a', outcome: 'ok' }, 2);
    metrics.counter('calls_total', 'Calls.').add({ tool: 'b "\\\n', outcome: 'no' });
    const seconds = metrics.histogram('seconds', 'How long.', [0.1, 1]);
    for (const value of [0.05, 0.1, 0.5, 3]) seconds.observe(value, { tool: 'a' });
    let open = 1;
    metrics.gauge('open', 'Open.', () => open);
    open = 7;
    expect(metrics.text()).toBe(`# HELP calls_total Calls.
# TYPE calls_total counter
calls_total{tool="a",outcome="ok"} 3
calls_total{tool="b \\"\\\\\\n",outcome="no"} 1
# HELP seconds How long.
# TYPE seconds histogram
seconds_bucket{tool="a",le="0.1"} 2
seconds_bucket{tool="a",le="1"} 3
seconds_bucket{tool="a",le="+Inf"} 4
seconds_sum{tool="a"} 3.65
seconds_count{tool="a"} 4
# HELP open Open.
# TYPE open gauge
open 7
`);
  });
});
