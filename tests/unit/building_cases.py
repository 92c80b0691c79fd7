"""Instructions of tool plans, with and without leaks. The bank has the tools of ``CLEAN`` and ``ALIASES``."""

from __future__ import annotations

from annotation.tool_bank import Bank, KnownTool

ALIASES = {
    "adjustable wrench": ("crescent wrench", "spanner"),
    "allen key": ("hex key",),
    "box cutter": ("utility knife",),
    "spirit level": ("bubble level",),
    "tape measure": ("measuring tape",),
    "plunger": ("force cup",),
}
LEAKS = (
    # Plurals and other forms.
    ("claw hammer", "Take one of the hammers and fix the loose board."),
    ("hand saw", "Shorten the plank; the saws hang on the wall."),
    ("box cutter", "Open the parcel with one of the cutters."),
    ("bread knife", "Use the knives to portion the loaf."),
    ("paint brush", "Coat the fence; clean the brushes afterwards."),
    ("adjustable wrench", "Loosen the nut. Any of the wrenches will do."),
    ("torch", "Two torches lie in the cellar; find the fuse box."),
    ("axe", "Split the logs; the axes are sharp."),
    ("hand saw", "Sawing the branch off takes a minute."),
    ("power drill", "The holes have to be drilled before noon."),
    ("bar clamp", "Keep both halves clamped until the adhesive has set."),
    ("garden rake", "Finish raking before the rain begins."),
    ("soldering iron", "The loose contact needs to be soldered again."),
    ("staple gun", "Get the fabric stapled to the frame."),
    ("tape measure", "Someone has to measure the window for new blinds."),
    ("shovel", "Keep shoveling until the path is free."),
    ("broom", "There are three brooms: clear the crumbs off the floor."),
    ("wood file", "The edge was filed badly, so smooth it again."),
    # Compounds, joined and apart.
    ("claw hammer", "A sledgehammer would be too heavy for this picture hook."),
    ("hand saw", "A handsaw shortens this curtain rail."),
    ("screwdriver", "Get a screw driver and open the battery cover."),
    ("screwdriver", "Open the battery cover with a screw-driver."),
    ("tape measure", "Find out with a tapemeasure whether the sofa fits."),
    ("bread knife", "Something like a penknife portions this crust."),
    ("paint brush", "A paintbrush puts color on the shutters."),
    ("paint brush", "Something like a toothbrush gets color into the corners."),
    ("axe", "A pickaxe is no help with firewood."),
    ("step ladder", "Get up to the lamp on the stepladder."),
    ("garden rake", "One rakehead is enough for all the leaves."),
    ("bar clamp", "Use the clampstand until the adhesive has set."),
    ("wheelbarrow", "Bring the soil over in a wheel barrow."),
    ("watering can", "The wateringcan is empty, and the seedlings are dry."),
    ("power drill", "A drillpress makes the hole for the anchor."),
    ("hand saw", "Let the chainsaw shorten the trunk."),
    ("spirit level", "See with the spirit-level whether the shelf is even."),
    ("pliers", "The needlenosepliers bend this wire."),
    # Aliases, and names of other tools of the bank.
    ("adjustable wrench", "A spanner undoes the nut below the sink."),
    ("adjustable wrench", "The spanners undo the nut below the sink."),
    ("adjustable wrench", "Get the Crescent and undo the nut."),
    ("allen key", "A hex key tightens the chair leg."),
    ("allen key", "HEX-KEYS tighten the chair leg."),
    ("box cutter", "The utility knife opens this parcel."),
    ("spirit level", "Check with the bubble level whether the frame hangs even."),
    ("tape measure", "Take the measuring tape to the window."),
    ("plunger", "Force cups clear the blocked sink."),
    ("plunger", "Clear the blocked sink with a force-cup."),
    ("broom", "Clear the crumbs off the floor, but without the shovel."),
    ("pliers", "Bend the wire. Tweezers are too weak."),
    ("torch", "Find the fuse box; leave the step ladder where it is."),
    ("whisk", "Beat the eggs until they are stiff. The LADLE is of no use."),
)
CLEAN: dict[str, str] = {
    "claw hammer": """
        Fix the loose floorboard so that it no longer creaks.
        Put up the family photo above the sofa.
        Close the wooden crate so that the lid stays on during transport.
        The fence has lost a slat. Attach it again before the dog gets out.
        Remove the bent fastener from the beam without damaging the wood.""",
    "hand saw": """
        Shorten the shelf by ten centimeters so that it fits into the alcove.
        The branch scrapes the window at night. Remove it.
        Divide the long plank into four equal parts.
        Cut the broken table leg off just above the crack.
        Make two short posts out of one long one.""",
    "screwdriver": """
        Replace the batteries of the toy, whose cover is held by a small fastener.
        Tighten the wobbly door handle.
        Open the back of the old radio so that its inside can be seen.
        Take the wall plate off before painting the hall.
        Mount the hinge on the new cabinet door.""",
    "adjustable wrench": """
        Stop the leak at the nut below the kitchen sink.
        Loosen the rusty bolt of the garden gate.
        Take the front wheel off the old bicycle.
        Connect the hose of the new dishwasher so that no water drips.
        Tighten the nuts of the swing before the children come.""",
    "allen key": """
        Assemble the flat-packed chair from its parts.
        Raise the saddle of the bicycle by a few centimeters.
        The bed frame wobbles. Tighten its sunken bolts.
        Adjust the brake of the scooter until the wheel turns freely.
        Remove the stem of the handlebar for transport.""",
    "pliers": """
        Bend the end of the wire into a small loop.
        Pull the splintered staple out of the armchair.
        Straighten the bent prong of the plug.
        Hold the tiny nut while somebody else turns the bolt.
        Close the open link of the necklace.""",
    "tweezers": """
        Remove the splinter from the thumb.
        Pick up the tiny gear without touching the others.
        Place the stamp in the album without leaving a fingerprint.
        Take the thread out of the sewing machine's bobbin case.
        Pull the tick off the dog's ear.""",
    "box cutter": """
        Open the parcel without damaging what is inside.
        Trim the edge of the carpet along the wall.
        Divide the sheet of cardboard along the pencil line.
        Remove the old sealing strip from the window.
        Cut the plastic straps around the pallet.""",
    "bread knife": """
        Portion the crusty loaf for breakfast.
        Divide the baguette without crushing it.
        Serve eight even slices of the sourdough.
        Halve the bagels for the guests.
        Take the crust off the toast for the tea party.""",
    "paint brush": """
        Give the garden bench a new coat of varnish.
        Color the shutters dark green.
        Protect the fence from the weather with oil.
        Cover the stain on the ceiling with white.
        Apply primer to the new window frame.""",
    "power drill": """
        Make a hole in the concrete for the anchor of the lamp.
        Prepare the wall for the plugs of the shelf.
        Make a hole through the door for the new lock.
        The bird house needs a round entrance. Make one.
        Run the cable through the wooden wall.""",
    "bar clamp": """
        Keep the two boards together until the adhesive has dried.
        Hold the workpiece firmly on the bench while you carve it.
        Press the veneer onto the plate overnight.
        Keep the broken frame square while it dries.
        Fasten the lamp to the edge of the desk for an hour.""",
    "garden rake": """
        Gather the fallen leaves on the lawn into a heap.
        Even out the soil before sowing the grass.
        Collect the cut grass below the apple tree.
        Spread the gravel evenly over the path.
        Loosen the moss in the lawn.""",
    "shovel": """
        Clear the snow from the driveway.
        Plant the young tree in a deep hole.
        Load the sand into the trailer.
        Bury the pipe along the house.
        Turn over the soil of the vegetable bed.""",
    "broom": """
        Get the crumbs off the kitchen floor.
        Clear the cobwebs from the corner of the ceiling.
        Remove the dust from the garage after the work.
        Clean the stairs before the guests arrive.
        Get the confetti off the street after the parade.""",
    "soldering iron": """
        Repair the broken contact on the circuit board.
        Join the two copper wires so that current flows again.
        Attach the resistor to the board permanently.
        Replace the loose cable of the loudspeaker.
        Fix the headphone plug, whose wire has come off.""",
    "staple gun": """
        Stretch the new fabric over the seat of the chair and fasten it.
        Attach the poster to the wooden notice board outdoors.
        Fix the mesh to the frame of the rabbit hutch.
        Fasten the insulation between the rafters.
        Mount the canvas on its wooden frame.""",
    "tape measure": """
        Find out whether the sofa fits through the door.
        Determine the width of the window for new blinds.
        Say how long the garden fence has to be.
        Check whether both diagonals of the frame are equal.
        Mark the wall every sixty centimeters.""",
    "spirit level": """
        Make sure that the new shelf is exactly horizontal.
        Check whether the post is upright.
        Align the row of tiles along the wall.
        Find out whether the washing machine is tilted.
        Hang the three frames so that none of them is crooked.""",
    "step ladder": """
        Change the light bulb on the high ceiling.
        Reach the box on the top of the wardrobe.
        Clean the upper window of the hall.
        Pick the cherries from the upper branches.
        Take down the curtains in the living room.""",
    "wheelbarrow": """
        Bring the heavy bags of soil to the far end of the garden.
        Move the bricks from the street to the yard.
        Take the compost to the vegetable beds in one go.
        Transport the firewood from the shed to the house.
        Carry the rubble from the cellar to the container.""",
    "watering can": """
        The seedlings on the balcony are dry. Help them.
        Keep the roses alive during the heat.
        Give the potted palm a drink.
        Settle the soil around the new tomato plants gently.
        Moisten the freshly sown lawn without washing the seeds away.""",
    "axe": """
        Split the logs for the fireplace.
        Fell the thin dead birch behind the house.
        Make kindling out of the thick pieces of wood.
        Remove the branches from the fallen trunk.
        Sharpen the posts so that they can be driven into the ground.""",
    "wood file": """
        Smooth the rough edge of the wooden toy.
        The drawer sticks. Take a little off its side.
        Round the corners of the chopping block.
        Widen the notch by a hair's breadth.
        Shape the handle until it fits the hand.""",
    "plunger": """
        The sink is blocked. Let the water flow again.
        Clear the toilet without calling a plumber.
        The shower drains slowly. Free the drain.
        Push the blockage through the pipe of the bathtub.
        Get the standing water out of the basin.""",
    "torch": """
        The power is out. Find the fuse box in the dark cellar.
        Look for the coin that rolled under the cupboard.
        Check the dark attic for traces of mice.
        Signal to the boat on the lake at night.
        Find the way back to the tent after sunset.""",
    "whisk": """
        Beat the egg whites until they are stiff.
        Make a pancake batter without lumps.
        Turn the cream into a fluffy topping.
        Stir the sauce until it is smooth.
        Mix the vinaigrette until oil and vinegar combine.""",
    "ladle": """
        Serve the soup from the big pot into the bowls.
        Pour the batter into the hot waffle maker.
        Fill the jars with hot jam.
        Hand out the punch at the party.
        Skim the foam off the broth.""",
    "colander": """
        Drain the pasta without losing any of it.
        Wash the berries and let them drip.
        Separate the boiled potatoes from the hot water.
        Rinse the chickpeas from the tin.
        Let the salad leaves dry after washing.""",
    "rolling pin": """
        Make the dough as thin as a coin.
        Prepare the pastry for the apple tart.
        Crush the cookies in the bag for the cheesecake.
        Flatten the pizza base evenly.
        Spread the fondant into a large round sheet.""",
    "peeler": """
        Take the skin off the carrots.
        Prepare the potatoes for boiling, without their skin.
        Cut wafer-thin strips off the cucumber.
        Remove the rind of the orange in one long strip.
        Shave the hard cheese over the salad.""",
    "sewing needle": """
        The button has come off the coat. Put it back on.
        Repair the hole in the sock.
        Close the torn seam of the pillow.
        Shorten the trousers by hand.
        Embroider the initials on the napkin.""",
    "scissors": """
        Cut the ribbon at the opening ceremony.
        Trim the fringe of the child's hair.
        Take the coupon out of the newspaper.
        Divide the sheet of wrapping paper.
        Shorten the loose thread of the sweater.""",
    "trowel": """
        Plant the tulip bulbs in the flower box.
        Repot the basil into a larger container.
        Dig out the dandelion with its root.
        Fill the gap between two bricks with mortar.
        Make a small hollow for each strawberry plant.""",
    "hose": """
        Wash the mud off the car in the yard.
        Fill the paddling pool from the tap.
        Rinse the terrace after the party.
        Bring water to the far end of the lawn.
        Clean the muddy boots before they enter the house.""",
    "bucket": """
        Carry water from the stream to the camp.
        Collect the drops below the leak in the roof.
        Prepare soapy water for cleaning the floor.
        Gather the apples below the tree.
        Mix the plaster for the wall.""",
    "vise": """
        Hold the metal pipe firmly while its end is smoothed.
        Keep the key blank still while it is shaped.
        Squeeze the two plates together with great force.
        Bend the iron strip to a right angle.
        Fix the ski on the bench for waxing.""",
    "chisel": """
        Cut the recess for the lock into the door frame.
        Carve letters into the oak sign.
        Remove the old tile from the wall piece by piece.
        Make a clean mortise in the post.
        Take the dried adhesive off the joint.""",
    "multimeter": """
        Find out whether the socket has power.
        Check whether the battery is empty.
        Determine the resistance of the heating wire.
        Find the break in the cable.
        Test the fuse of the amplifier.""",
    "thermometer": """
        Find out whether the child has a fever.
        Check whether the roast is done inside.
        Make sure that the bath is not too hot for the baby.
        Determine when the milk is warm enough for the yogurt.
        Say whether the freezer is cold enough.""",
}


def clean() -> list[tuple[str, str]]:
    """(target, instruction) of every clean instruction."""
    return [(tool, line.strip()) for tool, lines in CLEAN.items() for line in lines.strip().splitlines()]


def bank() -> Bank:
    return Bank(tuple(KnownTool(name, aliases=ALIASES.get(name, ())) for name in CLEAN))
