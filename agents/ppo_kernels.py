"""The machine code of learning: advantages, and a minibatch's losses with their gradient. Imported on first use.

Forward and backward of a small network for one state stay in the fastest cache, where a library that computes layer by
layer for all states goes through memory. A network is a table of its layers [L, 4]: where weights [out, in] and biases
[out] begin in the flat vector of all parameters, out, and in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.compiled import cached, compiled

WEIGHT, BIAS, OUT, IN = range(4)  # the columns of a layer
POLICY, ENTROPY, VALUE, KL, CLIPPED = range(5)  # what is told of a minibatch, as means over it

FARTHEST = np.float32(9.02)  # tanh of more is 1 in single precision
# tanh(x) = x P(x²) / Q(x²) up to there, fitted by least squares to a relative error of 2.1e-8; tests/agents holds it
P0, P1, P2 = np.float32(0.99999998), np.float32(0.13379718), np.float32(3.4940346e-3)
P3, P4 = np.float32(2.0583482e-5), np.float32(1.3319071e-8)
Q1, Q2, Q3, Q4 = np.float32(0.46713033), np.float32(2.5871073e-2), np.float32(3.2830929e-4), np.float32(7.7620194e-7)
ONE = np.float32(1.0)
ZERO = np.float32(0.0)
NONE, ONE_MORE = (
    np.uint64(0),
    np.uint64(1),
)  # what indexes an array is unsigned: no code asks whether it counts from behind


@compiled
def advantages(
    states: Any,  # [N, T]
    rewards: Any,  # [N, T]
    ends: Any,  # [N, T]
    cuts: Any,  # [N, T]
    lasts: Any,  # [N, T]: the state in which a game was left that ended
    last: Any,  # [N]: the states after the last step
    values: Any,  # [S]
    gamma: Any,
    trace: Any,  # lambda
    out: Any,  # [N, T]: written
) -> None:
    """Generalised advantages (GAE) as SB3 computes them: a game that was cut is valued where it was cut."""
    for row in range(len(states)):
        ahead, following = ZERO, values[last[row]]
        for time in range(states.shape[1] - 1, -1, -1):
            reward, here = rewards[row, time], values[states[row, time]]
            if ends[row, time]:
                ahead = reward - here
                if cuts[row, time]:
                    ahead += gamma * values[lasts[row, time]]
            else:
                ahead = reward + gamma * following - here + gamma * trace * ahead
            out[row, time] = ahead
            following = here


@compiled
def add_up(
    chosen: Any,  # [B]: places in the rollout
    pairs: Any,  # [N × T]: state × A + action
    returns: Any,  # [N × T]
    advantage: Any,  # [B]
    counts: Any,  # [S, A]; written, as are those below
    gains: Any,  # [S, A]: sums of the advantages above 0
    shortfalls: Any,  # [S, A]: sums of those below
    targets: Any,  # [S]: sums of the returns
) -> Any:
    """Add up a minibatch by state and action; returns the sum of the squared returns."""
    actions, squares = counts.shape[1], 0.0
    counts[:] = 0
    gains[:] = 0
    shortfalls[:] = 0
    targets[:] = 0
    for number in range(len(chosen)):
        place = chosen[number]
        state, size, target = pairs[place] // actions, advantage[number], returns[place]
        action = pairs[place] - state * actions
        counts[state, action] += ONE
        targets[state] += target
        squares += target * target
        if size > 0:
            gains[state, action] += size
        else:
            shortfalls[state, action] += size
    return squares


def _update(
    flat: Any,  # [P]: all parameters
    gradient: Any,  # [P]: written
    actor: Any,  # [L, 4]
    critic: Any,  # [L, 4]
    inputs: Any,  # ([S + 1], [K], [K]): of each state the inputs that are not 0: where its begin, which, how much
    legal: Any,  # [S, A]
    old: Any,  # [S, A]: the probabilities under which the rollout was played
    sums: Any,  # counts, gains, shortfalls, targets: of add_up
    squares: Any,
    size: Any,  # of the minibatch
    knobs: Any,  # clip, weight of the entropy, weight of the value, largest norm of a gradient, floor
    told: Any,  # [5]: written
) -> None:
    counts, gains, shortfalls, targets = sums
    clip, entropy_weight, value_weight, largest_norm, floor = knobs
    actions = np.uint64(legal.shape[1])
    widest = max(actor[:, OUT].max(), critic[:, OUT].max())
    active = np.empty((2, max(len(actor), len(critic)), widest), dtype=np.float32)
    delta = np.empty((2, widest), dtype=np.float32)
    first_actor, first_critic = transposed(flat, actor), transposed(flat, critic)
    into_actor, into_critic = np.zeros_like(first_actor), np.zeros_like(first_critic)
    top_actor, top_critic = np.uint64(len(actor) - 1), np.uint64(len(critic) - 1)
    chance = np.empty(actions, dtype=np.float32)
    gradient[:] = 0
    told[:] = 0
    share = ONE / np.float32(size)
    for state in range(np.uint64(len(counts))):
        visits, choices = ZERO, 0
        for action in range(actions):
            visits += counts[state, action]
            choices += legal[state, action]
        if visits == 0:
            continue
        # The critic: the squared error against the mean of the returns; what is left of it cannot be changed.
        forward(flat, critic, first_critic, inputs, state, active, ONE_MORE)
        mean = targets[state] / visits
        error = active[ONE_MORE, top_critic, NONE] - mean
        told[VALUE] += visits * error * error - visits * mean * mean
        delta[0, 0] = 2 * value_weight * share * visits * error
        backward(flat, gradient, critic, into_critic, inputs, state, active, ONE_MORE, delta)
        # The actor: probabilities q of the network, p with the floor of uniform play.
        forward(flat, actor, first_actor, inputs, state, active, NONE)
        highest, whole = np.float32(-np.inf), ZERO
        for action in range(actions):
            if legal[state, action]:
                highest = max(highest, active[NONE, top_actor, action])
        for action in range(actions):
            chance[action] = np.exp(active[NONE, top_actor, action] - highest) if legal[state, action] else ZERO
            whole += chance[action]
        rest = highest + np.log(whole)
        certainty, pull = ZERO, ZERO
        for action in range(actions):
            delta[NONE, action] = ZERO
            if not legal[state, action]:
                continue
            chance[action] /= whole
            q, log_p = chance[action], active[NONE, top_actor, action] - rest
            p, slope = q, ONE
            if floor > 0:
                p = (ONE - floor) * q + floor / choices
                log_p, slope = np.log(p), (ONE - floor) * q / p
            certainty += p * log_p
            towards = entropy_weight * visits * p * (log_p + ONE)
            if counts[state, action] > 0:
                ratio = p / old[state, action]
                gain, shortfall = gains[state, action], shortfalls[state, action]
                # A gain is clipped above, a shortfall below: min(A r, A clamp(r)) by the sign of A.
                told[POLICY] -= gain * min(ratio, ONE + clip) + shortfall * max(ratio, ONE - clip)
                towards -= gain * ratio * (ratio <= ONE + clip) + shortfall * ratio * (ratio >= ONE - clip)
                told[KL] += counts[state, action] * (ratio - ONE - np.log(ratio))
                told[CLIPPED] += counts[state, action] * (abs(ratio - ONE) > clip)
            delta[NONE, action] = towards * share * slope
            pull += delta[NONE, action]
        for action in range(actions):
            if legal[state, action]:
                delta[NONE, action] -= chance[action] * pull
        told[ENTROPY] += visits * certainty
        backward(flat, gradient, actor, into_actor, inputs, state, active, NONE, delta)
    told[VALUE] += squares
    told[:] *= share
    back(into_actor, gradient, actor)
    back(into_critic, gradient, critic)
    shorten(gradient, largest_norm)


def _shorten(gradient: Any, largest: Any) -> None:
    """No longer than that, as torch's clip_grad_norm_ does it."""
    norm = 0.0
    for place in range(len(gradient)):
        norm += gradient[place] * gradient[place]
    scale = np.float32(min(largest / (np.sqrt(norm) + 1e-6), 1.0))
    for place in range(len(gradient)):
        gradient[place] *= scale


def _transposed(flat: Any, layers: Any) -> Any:
    """[in, out]: the first layer's weights, those of an input side by side."""
    start, out, width = layers[0, WEIGHT], layers[0, OUT], layers[0, IN]
    return np.ascontiguousarray(flat[start : start + out * width].reshape((out, width)).T)


def _back(table: Any, gradient: Any, layers: Any) -> None:
    start, out, width = layers[0, WEIGHT], layers[0, OUT], layers[0, IN]
    gradient[start : start + out * width] = np.ascontiguousarray(table.T).reshape(-1)


def _forward(flat: Any, layers: Any, first: Any, inputs: Any, state: Any, active: Any, me: Any) -> None:
    """What each layer says of a state: active[me, l, :out], after tanh for all but the last."""
    begins, which, much = inputs
    out, bias = layers[0, OUT], layers[0, BIAS]
    for unit in range(out):
        active[me, NONE, unit] = flat[bias + unit]
    for place in range(begins[state], begins[state + ONE_MORE]):
        row, weight = which[place], much[place]
        for unit in range(out):
            active[me, NONE, unit] += weight * first[row, unit]
    for layer in range(ONE_MORE, np.uint64(len(layers))):
        under = layer - ONE_MORE
        weights, bias, width = layers[layer, WEIGHT], layers[layer, BIAS], layers[layer, IN]
        for unit in range(width):
            x = min(max(active[me, under, unit], -FARTHEST), FARTHEST)
            u = x * x
            over = x * (P0 + u * (P1 + u * (P2 + u * (P3 + u * P4))))
            active[me, under, unit] = over / (ONE + u * (Q1 + u * (Q2 + u * (Q3 + u * Q4))))
        for unit in range(layers[layer, OUT]):
            total, row = flat[bias + unit], weights + unit * width
            for place in range(width):
                total += flat[row + place] * active[me, under, place]
            active[me, layer, unit] = total


def _backward(
    flat: Any, gradient: Any, layers: Any, into: Any, inputs: Any, state: Any, active: Any, me: Any, delta: Any
) -> None:
    """Add what delta[0], the loss by the last layer's sums, says of every parameter; delta [2, widest] is used up."""
    begins, which, much = inputs
    now, next_ = NONE, ONE_MORE
    for back in range(ONE_MORE, np.uint64(len(layers))):
        layer = np.uint64(len(layers)) - back
        under = layer - ONE_MORE
        weights, bias, width = layers[layer, WEIGHT], layers[layer, BIAS], layers[layer, IN]
        for place in range(width):
            delta[next_, place] = ZERO
        for unit in range(layers[layer, OUT]):
            size, row = delta[now, unit], weights + unit * width
            if size == 0:
                continue
            gradient[bias + unit] += size
            for place in range(width):
                gradient[row + place] += size * active[me, under, place]
                delta[next_, place] += size * flat[row + place]
        for place in range(width):
            delta[next_, place] *= ONE - active[me, under, place] * active[me, under, place]
        now, next_ = next_, now
    bias, out = layers[0, BIAS], layers[0, OUT]
    for unit in range(out):
        gradient[bias + unit] += delta[now, unit]
    for place in range(begins[state], begins[state + ONE_MORE]):
        row, weight = which[place], much[place]
        for unit in range(out):
            into[row, unit] += weight * delta[now, unit]


transposed, back = compiled(_transposed), compiled(_back)
shorten = cached(_shorten, error_model="numpy", fastmath=True)
forward = cached(_forward, error_model="numpy", fastmath=True)
backward = cached(_backward, error_model="numpy", fastmath=True)
update = cached(_update, error_model="numpy", nogil=True)
